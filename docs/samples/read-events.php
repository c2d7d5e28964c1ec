<?php
// Reads the store's events since the last run, in order. PHP 8.1 or newer, without packages.
//   BASE_URL=https://pay.example STORE_ID=… API_KEY=sk_live_… php read-events.php
declare(strict_types=1);

function readPage(string $after): array
{
    $url = getenv('BASE_URL') . '/api/v1/stores/' . getenv('STORE_ID') . "/events?limit=200&after=$after";
    $json = file_get_contents($url, false, stream_context_create(['http' => [
        'header' => ['x-api-key: ' . getenv('API_KEY')],
        'timeout' => 60,
        'ignore_errors' => true, // the body of an error says what is wrong
    ]]));
    if ($json === false) {
        throw new RuntimeException('no answer');
    }
    $answer = json_decode($json, true, 512, JSON_THROW_ON_ERROR);
    if (!isset($answer['data'])) {
        throw new RuntimeException("{$answer['code']}: {$answer['detail']}");
    }
    return $answer;
}

// The same as your webhook receiver does: skip an order that is marked paid already.
function handle(array $event): void
{
    $paid = $event['type'] === 'Settled' && in_array($event['additionalStatus'], ['None', 'Overpaid'], true);
    $order = $event['metadata']['orderId'] ?? $event['invoiceId']; // metadata is null once retention has dropped it
    echo "$order: {$event['type']}/{$event['additionalStatus']}", $paid ? ', fulfil it' : '', "\n";
}

$cursorFile = getenv('CURSOR_FILE') ?: 'events-cursor';
$after = is_file($cursorFile) ? trim(file_get_contents($cursorFile)) : '0000000000000000';
while (($page = readPage($after))['data'] !== []) {
    array_map('handle', $page['data']);
    $after = $page['nextAfter'];
    // A full disk leaves the place that was stored before.
    if (file_put_contents("$cursorFile.new", $after) !== strlen($after) || !rename("$cursorFile.new", $cursorFile)) {
        throw new RuntimeException("cannot write $cursorFile");
    }
}
