#!/usr/bin/env bash
# What the action does: install the command if it is not there, score, compare, and leave a table in the job's summary.
# Inputs come in variables CLMATCH_*, never as text of a script: they may hold anything.
set -euo pipefail

lines() { # NAME TEXT: the lines of a text that are not empty, as an array.
    local -n into=$1
    into=()
    local line
    while IFS= read -r line; do
        if [[ -n ${line//[[:space:]]/} ]]; then into+=("$line"); fi
    done <<< "$2"
}

if ! command -v clmatch > /dev/null; then
    cargo install --quiet --locked --path "$CLMATCH_ACTION/crates/clmatch-cli"
fi

lines paths "$CLMATCH_PATHS"
lines bars "$CLMATCH_FAIL_UNDER"
lines options "$CLMATCH_OPTIONS"
under=()
for bar in ${bars[@]+"${bars[@]}"}; do under+=(--fail-under "$bar"); done
if [[ -n ${CLMATCH_FAIL_UNLESS:-} ]]; then under+=(--fail-unless "$CLMATCH_FAIL_UNLESS"); fi

result=${RUNNER_TEMP:-/tmp}/clmatch.json
echo "result=$result" >> "${GITHUB_OUTPUT:-/dev/null}"
rank=(clmatch rank --quiet --measures "$CLMATCH_MEASURES" ${options[@]+"${options[@]}"})

failed=0
"${rank[@]}" --format json --output "$result" ${under[@]+"${under[@]}"} -- "${paths[@]}" || failed=$?
if [[ -s $result ]]; then
    "${rank[@]}" --format markdown -- "${paths[@]}" >> "${GITHUB_STEP_SUMMARY:-/dev/stdout}" || true
fi
if [[ -n $CLMATCH_BASELINE ]]; then
    clmatch diff --fail-above "$CLMATCH_FAIL_ABOVE" -- "$CLMATCH_BASELINE" "$result" || failed=$?
fi
exit "$failed"
