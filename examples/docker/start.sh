#!/bin/sh
# Starts both halves and ends both on SIGTERM, so that the proxy writes what it still has.
set -u
: "${WAYMARK_TOKEN:?set WAYMARK_TOKEN: the evaluator listens beyond loopback}"
# makes the authority and its bundle in /ca, where the app's container finds them
waymark env --shell bash >/dev/null || exit 1
waymark proxy --listen 0.0.0.0 --port 8899 --out /data/logs ${PROXY_OPTIONS:-} &
proxy=$!
waymark serve --listen 0.0.0.0 --port 5053 --root /data --markers /markers --log /data/logs \
  --db /data/waymark.db --dir /data/runs --allow-host "${WAYMARK_HOST:-waymark}" &
server=$!
trap 'kill -TERM "$proxy" "$server" 2>/dev/null' TERM INT
# whichever ends first takes the other with it
while kill -0 "$proxy" 2>/dev/null && kill -0 "$server" 2>/dev/null; do
  sleep 1 &
  wait $!
done
kill -TERM "$proxy" "$server" 2>/dev/null
wait "$proxy"
wait "$server"
