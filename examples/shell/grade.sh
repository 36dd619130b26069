#!/bin/sh
# Grades a log over HTTP with curl. Usage: grade.sh LOG [SCENARIO]
# Ends with 0 for a pass, 1 for a fail, 3 when it could not be graded, 2 when the request was refused.
set -u
url=${WAYMARK_URL:-http://127.0.0.1:5053}
log=${1:?usage: grade.sh LOG [SCENARIO]}
scenario=${2:-simple_collab_switch}

body=$(printf '{"evaluation":[{"evaluator":"app_scenarios","scenarios":["%s"],"telemetry_file":"%s"}]}' "$scenario" "$log")
answer=$(curl --silent --show-error --noproxy '*' --max-time 90 \
  ${WAYMARK_TOKEN:+--header "Authorization: Bearer $WAYMARK_TOKEN"} \
  --header 'Content-Type: application/json' --data "$body" "$url/evaluate?wait=${WAIT:-0s}") || exit 3
printf '%s\n' "$answer"
case $answer in
  '{"verdict":"pass"'*) exit 0 ;;
  '{"verdict":"fail"'*) exit 1 ;;
  '{"verdict":'*) exit 3 ;;
  *) exit 2 ;;
esac
