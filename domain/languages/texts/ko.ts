import type { Texts } from "./en";

export const ko: Texts = {
  invoiceFrom: "{store}의 청구서",
  testNetwork: "테스트 네트워크({network}): 실제 돈이 아닙니다.",
  amountDue: "결제할 금액",
  stillDue: "남은 금액",
  showIn: "금액 표시 단위",
  rate: "1 BTC = {rate}",
  timeLeft: "남은 시간: {time}",

  waitingTitle: "결제를 기다리고 있습니다",
  waitingText:
    "지갑 앱으로 코드를 스캔하거나, 지갑이 이 기기에 있다면 ‘지갑에서 열기’를 누르세요. 정확히 이 금액을 보내세요. 결제가 도착하면 바로 이 페이지에 표시됩니다.",
  partialTitle: "결제 금액이 일부 부족합니다",
  partialText:
    "{paid} 도착, {remaining} 더 결제해야 합니다. 아래의 새 코드로 나머지만 결제하세요. 거래소에서 보냈다면 거래소가 금액에서 수수료를 뺐을 수 있습니다.",
  checkingTitle: "결제를 확인하고 있습니다",
  checkingText:
    "오고 있는 결제가 없는지 확인하고 있으며 잠시면 됩니다. 지금은 아무것도 보내지 마세요. 이미 결제했다면 돈은 사라지지 않습니다.",
  seenTitle: "결제 도착, 컨펌 대기 중",
  seenText:
    "결제가 도착했습니다. 비트코인 네트워크가 지금 컨펌하고 있으며 몇 분에서 약 한 시간 걸립니다. 더 할 일은 없으며 이 페이지를 닫아도 됩니다. {store}에 자동으로 알려집니다.",
  paidTitle: "결제 완료",
  paidText: "감사합니다. 결제가 완료되어 {store}에 전달되었습니다.",
  acceptedTitle: "결제된 것으로 처리됨",
  acceptedText: "{store}에서 이 청구서를 결제된 것으로 처리했습니다. 더 할 일은 없습니다.",
  overpaidTitle: "결제 완료, 초과 결제됨",
  overpaidText:
    "감사합니다. 결제가 {store}에 전달되었습니다. 청구 금액보다 {excess} 더 결제하셨으며, {store}에서 돌려보낼 수 있습니다. 아래를 확인하세요.",
  paidLateTitle: "기한 후 결제됨",
  paidLateText:
    "결제 금액은 모두 도착했지만 청구서가 만료된 뒤였습니다. 돈은 사라지지 않았습니다. 주문이 어떻게 진행되는지 {store}에 문의하세요.",
  paidLateOverText:
    "결제 금액은 모두 도착했지만 청구서가 만료된 뒤였고, 청구 금액보다 {excess} 많습니다. 돈은 사라지지 않았습니다. 주문 진행과 초과 금액 반환에 대해 {store}에 문의하세요.",
  expiredTitle: "이 청구서는 만료되었습니다",
  expiredText: "더 이상 이 청구서로 결제하지 마세요. 계속 결제하려면 {store}에 새 청구서를 요청하세요.",
  underpaidTitle: "만료됨, 일부만 결제됨",
  underpaidText:
    "{due} 중 {paid} 도착했고 결제 시간이 끝났습니다. 돈은 사라지지 않았습니다. 나머지를 결제하거나 돈을 돌려받으려면 {store}에 문의하세요. 이 청구서로 더 보내지 마세요.",
  lateSeenTitle: "늦은 결제가 확인되었습니다",
  lateSeenText:
    "청구서가 만료된 뒤 도착했으며 비트코인 네트워크의 컨펌을 기다리고 있습니다. 돈은 사라지지 않았고 지금 할 일은 없습니다. 다시 결제하지 마세요.",
  invalidTitle: "이 청구서는 더 이상 유효하지 않습니다",
  invalidText:
    "이 청구서로 결제하지 마세요. 이미 결제했다면 결제가 기록되어 있습니다. 아래 정보와 함께 {store}에 문의하세요.",
  vanishedOpen:
    "이전 결제가 네트워크에서 취소되었거나 다른 거래로 대체되어 여기에 도착하지 않았습니다. 지갑에서 수수료를 올렸다면 잠시 기다리세요. 그렇지 않다면 아래 코드로 결제하세요.",
  vanishedClosed:
    "이전 결제가 네트워크에서 취소되었거나 다른 거래로 대체되어 여기에 도착하지 않았습니다. 비트코인은 지갑에 그대로 있어야 합니다. 없다면 {store}에 문의하세요.",

  alreadyPaidTitle: "이미 결제하셨나요?",
  alreadyPaidText:
    "돈은 사라지지 않았습니다. 결제를 계속 확인하고 있으며, 찾는 즉시 이 페이지에 표시됩니다. 두 번 결제하지 마세요. 표시되지 않으면 아래 정보와 지갑에 표시되는 거래 ID를 가지고 {store}에 문의하세요.",

  refundTitle: "돈을 돌려받아야 한다면",
  refundText:
    "본인 지갑의 비트코인 주소를 남겨 두면 {store}에서 그 주소로 돈을 돌려보낼 수 있습니다. 결정은 {store}에서 하며, 자동으로 보내지는 것은 없습니다.",
  refundLabel: "내 비트코인 주소",
  refundHint: "잘 확인하세요. 나중에 여기서 바꿀 수 없습니다.",
  refundLeave: "이 주소 남기기",
  refundLeftTitle: "환불 주소를 남겼습니다",
  refundLeftText:
    "{store}에서 전체 주소를 볼 수 있습니다. 자동으로 보내지는 것은 없습니다. 바꾸려면 {store}에 문의하세요.",
  refundEmpty: "주소를 입력하세요. 지갑에서 받는 주소를 복사하세요.",
  refundLightning: "이것은 라이트닝용입니다. 대신 비트코인 주소를 입력하세요.",
  refundOtherNetwork: "다른 네트워크의 주소입니다. 결제한 네트워크의 주소를 입력하세요.",
  refundTypo: "주소에 오타가 있습니다. 지갑에서 다시 복사하세요.",
  refundNoAddress: "비트코인 주소가 아닙니다. 지갑에서 받는 주소를 복사하세요.",
  refundOwn: "이 주소는 여기 청구서의 주소입니다. 본인 지갑의 주소를 입력하세요.",
  refundTaken: "이미 다른 주소를 남겼기 때문에 이 주소는 저장되지 않았습니다. 바꾸려면 {store}에 문의하세요.",
  refundNotNeeded: "지금은 이 청구서에 환불 주소가 필요하지 않습니다.",

  receiptMailTitle: "이메일로 영수증 받기",
  receiptMailText: "결제가 완료되면 보냅니다. 주소는 다른 용도로 쓰이지 않으며 그 후 삭제됩니다.",
  receiptMailLabel: "이메일 주소",
  receiptMailLeave: "영수증 보내기",
  receiptMailLeft: "결제가 완료되면 {email}(으)로 보냅니다.",
  receiptMailSent: "영수증을 보냈습니다.",
  receiptMailWrong: "이메일 주소가 아닙니다. 예: name@example.com",
  receiptMailClosed: "이 청구서는 지금 이메일 주소를 받지 않습니다.",
  mailWhy: "이 영수증을 받기 위해 결제 페이지에 이 주소가 입력되었습니다. 주소는 보관되지 않습니다.",

  waysTitle: "결제 방법",
  any: "모든 지갑",
  onchain: "비트코인",
  lightning: "라이트닝",
  qrAny: "모든 비트코인 또는 라이트닝 지갑용 QR 코드",
  qrOnchain: "비트코인 지갑용 QR 코드",
  qrLightning: "라이트닝 지갑용 QR 코드",
  openWallet: "지갑에서 열기",
  addressHint: "거래소에서 결제하거나 주소를 복사하려면 위에서 ‘{bitcoin}’을 선택하세요.",
  address: "비트코인 주소",
  bolt11: "라이트닝 인보이스",
  amount: "금액",
  copy: "복사",
  copyOf: "복사: {what}",
  copied: "복사됨",
  copyFailed: "복사하지 못했습니다. 텍스트를 선택해 복사하세요.",
  dustRemainder:
    "비트코인 네트워크는 {least} 미만의 결제를 전달하지 않으므로 주소로는 이 금액을 보내야 합니다.",
  missingOnchain: "지금은 비트코인 주소로 결제할 수 없습니다.",
  missingLightning: "지금은 라이트닝으로 결제할 수 없습니다.",
  noWays:
    "지금은 이 청구서를 결제할 수 없습니다. 잠시 기다려 주세요. 결제 방법이 생기면 바로 이 페이지에 표시됩니다.",

  confirmations: "컨펌: {have} / {need}",
  details: "상세 정보",
  receipt: "영수증",
  store: "상점",
  order: "주문",
  invoiceId: "청구서",
  description: "내용",
  price: "가격",
  received: "받은 금액",
  created: "생성",
  expires: "결제 기한",
  expiredAt: "만료",
  payment: "{method} 결제",
  seenAt: "감지",
  confirmedAt: "확정",
  txid: "거래 ID",
  paymentHash: "결제 해시",
  print: "인쇄",
  returnToStore: "{store} 페이지로 돌아가기",
  redirecting: "{seconds}초 후 {store} 페이지로 돌아갑니다.",
  contact: "{store}에 문의",
  website: "{store} 웹사이트",
  languages: "언어",
  offline: "연결이 끊겼습니다. 표시된 내용이 최신이 아닐 수 있으며, 계속 다시 시도합니다.",

  linkPay: "결제하기",
  linkChoose: "금액을 선택하세요",
  linkOwn: "결제할 금액",
  linkBounds: "{least}부터 {most}까지",
  linkUnreadable: "금액을 입력하세요(예: {example}).",
  linkNotOffered: "이 금액은 여기에서 결제할 수 없습니다. 다른 금액을 선택하세요.",
  linkDelete: "마지막 글자 지우기",
  linkNext: "다음 결제",
  linkScan: "스캔하여 비트코인으로 결제",
  chooseOnchain: "대신 비트코인 주소로 결제",
  linkUnknownTitle: "이 결제 링크를 찾을 수 없습니다",
  linkClosedTitle: "여기에서는 더 이상 결제할 수 없습니다",
  linkClosedText: "이 결제 링크는 닫혔거나 모두 사용되었습니다. {store}에 다른 링크를 요청하세요.",
  linkFullTitle: "오늘은 여기에서 더 이상 결제할 수 없습니다",
  linkFullText:
    "이 결제 링크는 오늘의 한도에 도달했습니다. 내일 다시 오거나 {store}에 다른 링크를 요청하세요.",

  unknownTitle: "이 청구서를 찾을 수 없습니다",
  unknownText: "링크 전체를 복사했는지 확인하거나 상점에 새 링크를 요청하세요.",
  busyTitle: "잠시 기다려 주세요",
  busyText:
    "지금은 이 페이지를 표시할 수 없습니다. 자동으로 다시 시도합니다. 이미 결제했다면 돈은 사라지지 않습니다.",
};
