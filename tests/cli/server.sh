# What the scripts here share: a server that they start and stop, and checks that count. Sourced, with `binary` set.

work=$(mktemp -d)
checks=0
# How many seconds anything may take that takes no time: it ends a script that would go on for ever.
bound=300

# Ends with an error that says what was wrong.
fail() {
    echo "$(basename "$0"): $1" >&2
    exit 1
}

# equal WHAT ACTUAL EXPECTED
equal() {
    [[ $2 == "$3" ]] || fail "$1: it is '$2' and should be '$3'"
    checks=$((checks + 1))
}

# holds WHAT TEXT PART
holds() {
    [[ $2 == *"$3"* ]] || fail "$1: '$3' is not in '$2'"
    checks=$((checks + 1))
}

stop() {
    if [[ -n ${server:-} ]]; then
        kill -TERM "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    fi
    rm -rf "$work"
}
trap stop EXIT

# start ARGUMENT...: on a free port; the first line of output says which.
start() {
    local line
    rm -f "$work/out"
    mkfifo "$work/out"
    env -u FAKE_SQS_LISTEN "$binary" --listen 127.0.0.1:0 "$@" >"$work/out" 2>"$work/log" &
    server=$!
    exec 3<"$work/out"
    read -r -t "$bound" line <&3 || fail "no start-up line within $bound s: $(cat "$work/log")"
    [[ $line =~ ^fake-sqs\ listening\ on\ (http://127\.0\.0\.1:[0-9]+)$ ]] \
        || fail "the start-up line is '$line'"
    endpoint=${BASH_REMATCH[1]}
    # What follows is read too, so that the server never waits for a reader.
    cat <&3 >/dev/null &
}

# Stops the server as its user would, and sees that it ends well.
finish() {
    local status=0
    kill -TERM "$server"
    wait "$server" || status=$?
    server=
    equal "the server's exit status after SIGTERM" "$status" 0
}
