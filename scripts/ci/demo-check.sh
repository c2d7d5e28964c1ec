#!/bin/bash
# Proves `npm run demo` for a newcomer: in a fresh clone, with an empty home, until a webhook Settled was received and
# verified and another invoice was paid by Lightning; the TypeScript client then does what its README shows, and its
# invoice is paid; the login link leads to the demo's store with invoices in every state and a failed delivery, which
# is redelivered; the buttons of the checkout that it prints a link to pay it; Ctrl-C must leave no process behind, and
# a second start must find the data of the first: with the version of Node that is given, where one is.
# demo-check.sh [version of Node for the second start]
set -um

repository="$(cd "$(dirname "$0")/../.." && pwd)"
work="$(mktemp -d "${TMPDIR:-/tmp}/quittance-demo-XXXXXX")"
clone="$work/clone"
log="$work/demo.log"
limit_seconds=300 # of which the installation of all packages takes the most on a busy machine
demo=""
# Something else may have the usual port.
port="$(node -e 'const s = require("net").createServer().listen(0, () => { console.log(s.address().port); s.close(); })')"

# Everything that the demo starts has this run's folder in its command line, its directory or its environment (HOME).
left() {
  local dir
  for dir in /proc/[0-9]*; do
    if { tr '\0' '\n' <"$dir/cmdline"; readlink "$dir/cwd"; tr '\0' '\n' <"$dir/environ"; } 2>/dev/null |
      grep -qF "$work"; then
      echo "${dir#/proc/} $(tr '\0' ' ' <"$dir/cmdline" 2>/dev/null)"
    fi
  done
}

clean_up() {
  local pid
  [ -n "$demo" ] && kill -KILL -- "-$demo" 2>/dev/null
  for pid in $(left | cut -d' ' -f1); do kill -KILL "$pid" 2>/dev/null; done
  rm -rf "$work"
}
trap clean_up EXIT

fail() {
  echo "demo-check: $1" >&2
  [ -f "$log" ] && tail -n 60 "$log" >&2
  exit 1
}

# In a process group of its own with SIGINT as it is at a terminal, so that SIGINT does what Ctrl-C does there.
start_demo() {
  : >"$log"
  (
    cd "$clone" || exit 1
    exec env --default-signal=INT,TERM HOME="$work/home" PORT="$port" npm run demo </dev/null >"$log" 2>&1
  ) &
  demo=$!
}

wait_for() { # pattern, what
  local end=$((SECONDS + limit_seconds))
  until grep -Eq "$1" "$log"; do
    kill -0 "$demo" 2>/dev/null || fail "the demo ended before $2"
    [ "$SECONDS" -lt "$end" ] || fail "no $2 within $limit_seconds s"
    sleep 1
  done
}

stop_demo() {
  local end=$((SECONDS + 60)) rest=""
  kill -INT -- "-$demo" || fail "the demo was gone before Ctrl-C"
  while kill -0 "$demo" 2>/dev/null; do
    [ "$SECONDS" -lt "$end" ] || fail "the demo did not end within 60 s of Ctrl-C"
    sleep 1
  done
  wait "$demo" 2>/dev/null
  rest="$(left)"
  [ -z "$rest" ] || fail "Ctrl-C left processes: $rest"
  demo=""
}

# A store's id, as the demo prints it: 44 characters of base58.
store_id() {
  grep -oE '\b[1-9A-HJ-NP-Za-km-z]{44}\b' "$log" | head -n 1
}

# The value of a line of the demo's welcome.
printed() { # name
  sed -n "s/^ *$1  *\\([^ ]*\\) *$/\\1/p" "$log" | head -n 1
}

# The TypeScript client, packed and installed as a shop would have it, does what its README shows first; the customer
# pays the invoice that it made.
try_client() {
  local shop="$work/shop" said="$work/said" invoice
  mkdir -p "$shop" && echo '{"name": "shop", "private": true}' >"$shop/package.json"
  (cd "$clone/clients/typescript" && HOME="$work/home" npm pack --silent --ignore-scripts=false --pack-destination "$shop") >/dev/null || fail "npm pack failed"
  (cd "$shop" && HOME="$work/home" npm install --silent --offline --no-audit --no-fund ./*.tgz) || fail "the client cannot be installed"
  awk '/^```/ { if (code) exit; code = /^```js$/; next } code' "$clone/clients/typescript/README.md" >"$shop/example.mjs"
  QUITTANCE_URL="$(printed API)" QUITTANCE_STORE_ID="$(printed "Store ID")" QUITTANCE_API_KEY="$(printed "API key")" \
    node "$shop/example.mjs" >"$said" || fail "the example of the client's README failed"
  invoice="$(grep -oE '^inv_[0-9A-Za-z]+' "$said")" || fail "the example of the client's README made no invoice"
  grep -qx "New None" "$said" || fail "the example's invoice is not New: $(cat "$said")"
  (cd "$clone" && HOME="$work/home" npm run -s demo:pay -- "$invoice") || fail "$invoice cannot be paid"
  wait_for "Settled/None $invoice signature ok" "webhook Settled of the client's $invoice"
  echo "demo-check: the example of the client's README made $invoice; it was paid, and its webhook Settled verified"
}

# The printed link logs in and stands in no log; invoices in every state come, and a delivery that fails and is sent again.
try_dashboard() {
  local api key link state end=$((SECONDS + 150)) invoices="$work/invoices"
  api="$(printed API)" key="$(printed "API key")"
  wait_for '^  Dashboard  ' "login link"
  link="$(printed Dashboard)"
  curl -sSf -H "origin: $api" --json "{\"token\": \"${link##*#}\"}" "$api/api/dashboard/links/use" >/dev/null || fail "the link does not log in"
  if grep -rqF "${link##*[/#]}" "$clone/.demo" --include="*.log"; then fail "the login link stands in a log"; fi
  for state in New,None Processing,None Settled,None Settled,Overpaid Settled,PaidAfterExpiration Expired,None Expired,Underpaid Invalid,None; do
    until curl -sSf -H "x-api-key: $key" "$api/api/v1/stores/$store/invoices?limit=200" >"$invoices" &&
      grep -qF "\"status\":\"${state%,*}\",\"additionalStatus\":\"${state#*,}\"" "$invoices"; do
      [ "$SECONDS" -lt "$end" ] || fail "no invoice is $state"
      sleep 2
    done
  done
  [ -z "$(grep -oE '"orderId":"example-[a-z-]+"' "$invoices" | sort | uniq -d)" ] || fail "an example was made twice"
  (cd "$clone" && HOME="$work/home" npm run -s demo:cli -- webhook redeliver --store "$store" --failed) || fail "nothing can be redelivered"
  echo "demo-check: the link logged in; every state is there"
}

# A button on the page of the printed invoice pays it.
try_checkout() {
  local url
  wait_for 'Now you\. Open http' "link to a checkout"
  url="$(grep -oE 'http://[^ ]+/i/inv_[0-9A-Za-z]+' "$log" | head -n 1)"
  curl -sSf -H "sec-fetch-site: same-origin" -X POST "$url/test/full" >/dev/null || fail "the checkout's button does not pay"
  wait_for "Processing/None ${url##*/} signature ok" "webhook Processing of ${url##*/}"
  echo "demo-check: a button of $url paid it"
}

settled='Settled.*(verified|signature)|(verified|signature).*Settled'
mkdir -p "$work/home"
chmod 755 "$work" # Postgres does not run as root, and its user has to reach the clone
printf '[safe]\n\tdirectory = *\n' >"$work/gitconfig"
GIT_CONFIG_GLOBAL="$work/gitconfig" git clone -q "$repository" "$clone" || fail "git clone failed"

start_demo
wait_for "$settled" "verified webhook Settled"
wait_for 'paid by Lightning [0-9.]+ s after' "invoice paid by Lightning"
store="$(store_id)"
[ -n "$store" ] || fail "the demo printed no store id"
try_client
try_checkout
try_dashboard
wait_for 'Settled/Overpaid inv_[0-9A-Za-z]+ redelivered, signature ok' "redelivered webhook"
stop_demo
echo "demo-check: first start, with Node $(node --version): a webhook Settled was verified; Ctrl-C left no process"

if [ -n "${1:-}" ]; then
  # What the first start installed and built must run with it.
  PATH="$(bash "$repository/scripts/ci/with-node.sh" "$1" printenv PATH)" || fail "Node $1 cannot be fetched"
  hash -r
fi
start_demo
wait_for "$settled" "verified webhook Settled after a second start"
wait_for 'paid by Lightning [0-9.]+ s after' "invoice paid by Lightning after a second start"
[ "$(store_id)" = "$store" ] || fail "the second start has another store than the first ($store)"
try_dashboard
stop_demo
echo "demo-check: second start, with Node $(node --version): the same store, another Settled; Ctrl-C left no process"
