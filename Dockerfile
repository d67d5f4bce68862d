# A static binary in an image that holds nothing else:
#
#     docker build --tag fake-sqs .
#     docker run --rm --publish 9324:9324 fake-sqs
FROM rust:1.95-alpine AS build
RUN apk add --no-cache build-base
WORKDIR /src
COPY . .
RUN cargo build --release --locked --package fake-sqs && mkdir /data

FROM scratch
COPY --from=build /src/target/release/fake-sqs /fake-sqs
COPY --from=build --chown=65534:65534 /data /data
USER 65534:65534
# Reached from outside the container; the control interface answers loopback names only, unless
# FAKE_SQS_CONTROL_HOSTS names others.
ENV FAKE_SQS_LISTEN=0.0.0.0:9324
EXPOSE 9324
HEALTHCHECK --interval=5s --timeout=3s --retries=3 CMD ["/fake-sqs", "health"]
ENTRYPOINT ["/fake-sqs"]
