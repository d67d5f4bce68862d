//! The client against a server on the loopback interface that answers what each test says.

#[cfg(test)]
mod bounds;
#[cfg(feature = "compression")]
#[cfg(test)]
mod compression;
#[cfg(test)]
#[cfg(feature = "credential-chain")]
mod credential_chain;
#[cfg(test)]
mod credentials;
#[cfg(test)]
mod errors;
#[cfg(test)]
mod faults;
#[cfg(feature = "http2")]
#[cfg(test)]
mod http2;
#[cfg(test)]
mod pool;
#[cfg(test)]
mod requests;
#[cfg(test)]
mod retries;
#[cfg(test)]
mod server;
#[cfg(test)]
mod skew;
#[cfg(test)]
mod still;
#[cfg(feature = "rustls")]
#[cfg(test)]
mod tls;
#[cfg(test)]
mod tracing;
