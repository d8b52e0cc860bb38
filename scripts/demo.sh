#!/bin/sh
# Asks four questions of the example library: no key, no network, an index of its own that
# is removed at the end. Usage: scripts/demo.sh PATH-OF-FANSHU
set -eu

fanshu=$1
cd "$(dirname "$0")/.."
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT INT TERM

# Nothing from the reader's own settings may name a model here.
: > "$place/fanshu.toml"
export FANSHU_CONFIG="$place/fanshu.toml" FANSHU_MODEL='' FANSHU_TRACE=false
export FANSHU_DOCS=examples/library FANSHU_INDEX="$place/index"

ask() {
  printf '\n$ fanshu ask "%s" --docs examples/library\n' "$1"
  "$fanshu" ask "$1" || [ $? -eq 1 ]   # 1: not found, which is an answer too
}

ask 'write_timeout 的默认值是多少？'
ask '报错 E-4013 怎么处理？'
ask 'What is the rate limit of POST /v2/token, and how long is an upload session kept?'
ask '机器重启后特别卡，正常吗？'

printf '\nThe same in a browser, each citation beside its document (在浏览器里同样可用):\n'
printf "  %s -m pip install '.[serve]'\n" "$(dirname "$fanshu")/python"
printf '  %s serve examples/library     # then open http://127.0.0.1:8765\n' "$fanshu"
