<?php
// A webhook receiver in PHP (8.1 or newer), without packages.
//   WEBHOOK_SECRET=whsec_… php -S 127.0.0.1:4000 receiver.php        then POST to http://127.0.0.1:4000/webhook
declare(strict_types=1);

function answer(int $status, string $text): never
{
    http_response_code($status);
    header('Content-Type: text/plain; charset=utf-8');
    echo $text, "\n";
    exit;
}

// One file an order, whose name and content appear in one step (link): two requests at once cannot both make it, and
// an attempt that fails half-way leaves nothing that a redelivery would take for a paid order.
// With a database, mark the order paid and queue its shipping in one transaction instead.
function markPaid(string $order, string $rawBody, string $ordersDir): bool
{
    $path = $ordersDir . '/' . hash('sha256', $order);
    $unfinished = $ordersDir . '/.' . bin2hex(random_bytes(16));
    try {
        $file = fopen($unfinished, 'x');
        if ($file === false || fwrite($file, $rawBody) !== strlen($rawBody) || !fsync($file) || !fclose($file)) {
            throw new RuntimeException("cannot write into $ordersDir");
        }
        if (@link($unfinished, $path)) {
            return true;
        }
        clearstatcache();
        if (file_exists($path)) {
            return false;
        }
        throw new RuntimeException("cannot link in $ordersDir");
    } finally {
        @unlink($unfinished);
    }
}

function handle(array $event, string $rawBody, bool $isTest, string $ordersDir): void
{
    $what = $event['type'] . '/' . $event['additionalStatus'];
    $order = $event['metadata']['orderId'];
    if ($isTest) {
        error_log("test event: $what");
    } elseif ($what === 'Settled/None' || $what === 'Settled/Overpaid') {
        $isNew = markPaid($order, $rawBody, $ordersDir);
        error_log($isNew ? "$order: paid, fulfil it" : "$order: already paid, skipped");
    } elseif ($what === 'Settled/PaidAfterExpiration') {
        error_log("$order: paid after it had expired, review it by hand");
    } else {
        error_log("$order: $what");
    }
}

$secret = getenv('WEBHOOK_SECRET');
if ($secret === false || $secret === '') {
    error_log('set WEBHOOK_SECRET to the secret that was shown when the webhook was registered');
    answer(500, 'not configured');
}
$ordersDir = getenv('ORDERS_DIR') ?: 'paid-orders';
if (!is_dir($ordersDir)) {
    @mkdir($ordersDir, 0700, true);
}

if ($_SERVER['REQUEST_METHOD'] !== 'POST' || $_SERVER['REQUEST_URI'] !== '/webhook') {
    answer(404, 'POST to /webhook');
}
// The raw bytes: a body that was parsed and written again has another signature.
$rawBody = file_get_contents('php://input');
$expected = 'sha256=' . hash_hmac('sha256', $rawBody, $secret);
if (!hash_equals($expected, $_SERVER['HTTP_X_SERVICE_SIG'] ?? '')) {
    answer(401, 'invalid signature');
}
try {
    $isTest = ($_SERVER['HTTP_X_SERVICE_TEST'] ?? '') === 'true';
    handle(json_decode($rawBody, true, 512, JSON_THROW_ON_ERROR), $rawBody, $isTest, $ordersDir);
} catch (Throwable $error) {
    // Not 2xx: the delivery is marked failed and can be sent again.
    error_log((string) $error);
    answer(500, 'not processed');
}
answer(200, 'ok');
