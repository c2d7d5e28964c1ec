<?php
// Creates an invoice for an order. PHP 8.1 or newer, without packages.
//   BASE_URL=https://pay.example STORE_ID=… API_KEY=sk_live_… php create-invoice.php
declare(strict_types=1);

function createInvoice(array $order): array
{
    $url = getenv('BASE_URL') . '/api/v1/stores/' . getenv('STORE_ID') . '/invoices';
    $json = file_get_contents($url, false, stream_context_create(['http' => [
        'method' => 'POST',
        'header' => [
            'x-api-key: ' . getenv('API_KEY'),
            'Content-Type: application/json',
            // Sent again after a lost answer, the same key gets the same invoice and not a second one.
            'Idempotency-Key: order-' . $order['id'],
        ],
        'content' => json_encode([
            'amount' => $order['total'],
            'currency' => $order['currency'],
            'metadata' => ['orderId' => $order['id']],
        ], JSON_THROW_ON_ERROR),
        'timeout' => 30,
        'ignore_errors' => true, // the body of an error says what is wrong
    ]]));
    if ($json === false) {
        throw new RuntimeException('no answer');
    }
    $answer = json_decode($json, true, 512, JSON_THROW_ON_ERROR);
    if (!isset($answer['invoiceId'])) {
        throw new RuntimeException("{$answer['code']}: {$answer['detail']}");
    }
    return $answer;
}

$invoice = createInvoice(['id' => 'A-1001', 'total' => '12.50', 'currency' => 'EUR']);
echo "{$invoice['invoiceId']}: send the customer to {$invoice['checkoutUrl']}\n";
