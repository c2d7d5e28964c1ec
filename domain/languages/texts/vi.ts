import type { Texts } from "./en";

export const vi: Texts = {
  invoiceFrom: "Hóa đơn của {store}",
  testNetwork: "Mạng thử nghiệm ({network}): đây không phải tiền thật.",
  amountDue: "Số tiền cần thanh toán",
  stillDue: "Còn phải thanh toán",
  showIn: "Hiển thị số tiền theo",
  rate: "1 BTC = {rate}",
  timeLeft: "Thời gian còn lại: {time}",

  waitingTitle: "Đang chờ bạn thanh toán",
  waitingText:
    "Quét mã bằng ứng dụng ví, hoặc nhấn “Mở trong ví” nếu ví ở trên thiết bị này. Hãy gửi đúng số tiền này. Trang sẽ hiện khoản thanh toán ngay khi nhận được.",
  partialTitle: "Khoản thanh toán còn thiếu",
  partialText:
    "Đã nhận {paid}, còn phải thanh toán {remaining}. Vui lòng chỉ trả phần còn lại bằng mã mới bên dưới. Nếu bạn trả từ sàn giao dịch, có thể sàn đã trừ phí vào số tiền.",
  checkingTitle: "Đang kiểm tra các khoản thanh toán",
  checkingText:
    "Chúng tôi đang kiểm tra để chắc chắn không có khoản nào đang trên đường đến; việc này chỉ mất chốc lát. Vui lòng đừng gửi gì lúc này. Nếu bạn đã thanh toán, tiền không bị mất.",
  seenTitle: "Đã nhận thanh toán, đang chờ xác nhận",
  seenText:
    "Khoản thanh toán của bạn đã đến. Mạng Bitcoin đang xác nhận, thường mất từ vài phút đến khoảng một giờ. Bạn không cần làm gì thêm và có thể đóng trang này: {store} sẽ được báo tự động.",
  paidTitle: "Đã thanh toán",
  paidText: "Cảm ơn bạn. Bạn đã thanh toán đủ và {store} đã nhận được tiền.",
  acceptedTitle: "Được chấp nhận là đã thanh toán",
  acceptedText: "{store} đã chấp nhận hóa đơn này là đã thanh toán. Bạn không cần làm gì thêm.",
  overpaidTitle: "Đã thanh toán, nhiều hơn yêu cầu",
  overpaidText:
    "Cảm ơn bạn. {store} đã nhận được tiền. Bạn đã trả thừa {excess}; {store} có thể gửi lại cho bạn: xem bên dưới.",
  paidLateTitle: "Thanh toán sau khi hết hạn",
  paidLateText:
    "Bạn đã thanh toán đủ, nhưng tiền đến sau khi hóa đơn này hết hạn. Tiền không bị mất: hãy liên hệ {store} để biết đơn hàng của bạn sẽ được xử lý thế nào.",
  paidLateOverText:
    "Bạn đã thanh toán đủ, nhưng tiền đến sau khi hóa đơn này hết hạn và thừa {excess} so với yêu cầu. Tiền không bị mất: hãy liên hệ {store} để biết đơn hàng của bạn sẽ được xử lý thế nào và nhận lại phần thừa.",
  expiredTitle: "Hóa đơn này đã hết hạn",
  expiredText: "Vui lòng không thanh toán nữa. Nếu vẫn muốn thanh toán, hãy yêu cầu {store} gửi hóa đơn mới.",
  underpaidTitle: "Đã hết hạn, mới trả một phần",
  underpaidText:
    "Đã nhận {paid} trên tổng số {due} và đã hết thời gian thanh toán. Tiền không bị mất: hãy liên hệ {store} để trả phần còn lại hoặc nhận lại tiền. Vui lòng không gửi thêm vào hóa đơn này.",
  lateSeenTitle: "Đã thấy khoản thanh toán trễ của bạn",
  lateSeenText:
    "Khoản này đến sau khi hóa đơn hết hạn và đang chờ mạng Bitcoin xác nhận. Tiền không bị mất và hiện bạn không cần làm gì. Vui lòng không thanh toán lại.",
  invalidTitle: "Hóa đơn này không còn hiệu lực",
  invalidText:
    "Vui lòng không thanh toán. Nếu bạn đã thanh toán, khoản đó đã được ghi lại: hãy liên hệ {store} và gửi kèm thông tin bên dưới.",
  vanishedOpen:
    "Khoản thanh toán trước của bạn đã bị rút khỏi mạng hoặc bị thay thế nên không đến đây. Nếu bạn đã tăng phí trong ví, hãy đợi một lát. Nếu không, vui lòng thanh toán bằng mã bên dưới.",
  vanishedClosed:
    "Một khoản thanh toán trước đã bị rút khỏi mạng hoặc bị thay thế nên không đến đây. Bitcoin hẳn vẫn còn trong ví của bạn; nếu không, hãy liên hệ {store}.",

  alreadyPaidTitle: "Bạn đã thanh toán?",
  alreadyPaidText:
    "Tiền không bị mất. Chúng tôi vẫn theo dõi khoản thanh toán của bạn và trang này sẽ hiện ngay khi tìm thấy. Vui lòng không thanh toán lần thứ hai. Nếu không thấy xuất hiện, hãy liên hệ {store} và gửi kèm thông tin bên dưới cùng mã giao dịch hiển thị trong ví của bạn.",

  refundTitle: "Nếu cần hoàn tiền cho bạn",
  refundText:
    "Hãy để lại một địa chỉ Bitcoin của ví bạn để {store} có thể gửi tiền về đó. {store} là bên quyết định: không có gì được gửi tự động.",
  refundLabel: "Địa chỉ Bitcoin của bạn",
  refundHint: "Hãy kiểm tra kỹ: sau này không thể thay đổi tại đây.",
  refundLeave: "Để lại địa chỉ này",
  refundLeftTitle: "Đã để lại địa chỉ hoàn tiền",
  refundLeftText:
    "{store} thấy toàn bộ địa chỉ. Không có gì được gửi tự động đến đó. Để thay đổi, hãy liên hệ {store}.",
  refundEmpty: "Vui lòng nhập địa chỉ: sao chép một địa chỉ nhận từ ví của bạn.",
  refundLightning: "Đây là của Lightning. Vui lòng nhập một địa chỉ Bitcoin.",
  refundOtherNetwork:
    "Đây là địa chỉ của mạng khác. Vui lòng nhập địa chỉ thuộc mạng mà bạn đã dùng để thanh toán.",
  refundTypo: "Địa chỉ này có lỗi gõ. Vui lòng sao chép lại từ ví của bạn.",
  refundNoAddress: "Đây không phải địa chỉ Bitcoin. Vui lòng sao chép một địa chỉ nhận từ ví của bạn.",
  refundOwn: "Địa chỉ này thuộc một hóa đơn ở đây. Vui lòng nhập địa chỉ của ví bạn.",
  refundTaken:
    "Trước đó đã có một địa chỉ khác được để lại, nên địa chỉ này không được lưu. Để thay đổi, hãy liên hệ {store}.",
  refundNotNeeded: "Hiện hóa đơn này không cần địa chỉ hoàn tiền.",

  receiptMailTitle: "Biên nhận qua email",
  receiptMailText:
    "Được gửi khi thanh toán hoàn tất. Địa chỉ của bạn không dùng vào việc khác và sau đó bị xóa.",
  receiptMailLabel: "Địa chỉ email của bạn",
  receiptMailLeave: "Gửi biên nhận cho tôi",
  receiptMailLeft: "Biên nhận sẽ được gửi đến {email} khi thanh toán hoàn tất.",
  receiptMailSent: "Biên nhận đã được gửi.",
  receiptMailWrong: "Đây không phải là địa chỉ email. Địa chỉ có dạng như: name@example.com",
  receiptMailClosed: "Hóa đơn này hiện không nhận địa chỉ email nào.",
  mailWhy:
    "Địa chỉ này đã được để lại trên trang thanh toán để nhận biên nhận này. Địa chỉ không được lưu giữ.",

  waysTitle: "Cách thanh toán",
  any: "Mọi loại ví",
  onchain: "Bitcoin",
  lightning: "Lightning",
  qrAny: "Mã QR cho mọi ví Bitcoin hoặc Lightning",
  qrOnchain: "Mã QR cho ví Bitcoin",
  qrLightning: "Mã QR cho ví Lightning",
  openWallet: "Mở trong ví",
  addressHint: "Để trả từ sàn giao dịch hoặc sao chép địa chỉ, hãy chọn “{bitcoin}” ở trên.",
  address: "Địa chỉ Bitcoin",
  bolt11: "Hóa đơn Lightning",
  amount: "Số tiền",
  copy: "Sao chép",
  copyOf: "Sao chép: {what}",
  copied: "Đã sao chép",
  copyFailed: "Không sao chép được. Hãy chọn văn bản rồi sao chép.",
  dustRemainder:
    "Mạng Bitcoin không chuyển khoản thanh toán dưới {least}, vì vậy địa chỉ yêu cầu số tiền đó.",
  missingOnchain: "Hiện không thể thanh toán đến địa chỉ Bitcoin.",
  missingLightning: "Hiện không thể thanh toán qua Lightning.",
  noWays: "Hiện chưa thể thanh toán hóa đơn này. Vui lòng chờ: trang sẽ hiện cách thanh toán ngay khi có.",

  confirmations: "Số xác nhận: {have} / {need}",
  details: "Thông tin",
  receipt: "Biên nhận",
  store: "Cửa hàng",
  order: "Đơn hàng",
  invoiceId: "Hóa đơn",
  description: "Mô tả",
  price: "Giá",
  received: "Đã nhận",
  created: "Tạo lúc",
  expires: "Thanh toán trước",
  expiredAt: "Hết hạn lúc",
  payment: "Thanh toán bằng {method}",
  seenAt: "Thấy lúc",
  confirmedAt: "Xác nhận lúc",
  txid: "Mã giao dịch",
  paymentHash: "Mã băm thanh toán",
  print: "In",
  returnToStore: "Quay lại {store}",
  redirecting: "Bạn sẽ quay lại {store} sau {seconds} giây.",
  contact: "Liên hệ {store}",
  website: "Trang web của {store}",
  languages: "Ngôn ngữ",
  offline: "Mất kết nối. Thông tin đang hiện có thể đã cũ; chúng tôi vẫn đang thử lại.",

  linkPay: "Thanh toán",
  linkChoose: "Chọn số tiền",
  linkOwn: "Số tiền của bạn",
  linkBounds: "Từ {least} đến {most}",
  linkUnreadable: "Vui lòng nhập số tiền, ví dụ {example}.",
  linkNotOffered: "Không thể thanh toán số tiền này tại đây. Vui lòng chọn số tiền khác.",
  linkDelete: "Xóa ký tự cuối",
  linkNext: "Thanh toán tiếp theo",
  linkScan: "Quét để thanh toán bằng Bitcoin",
  chooseOnchain: "Thanh toán đến địa chỉ Bitcoin",
  linkUnknownTitle: "Không có liên kết thanh toán này",
  linkClosedTitle: "Không còn thanh toán được gì tại đây",
  linkClosedText: "Liên kết thanh toán này đã đóng hoặc đã dùng hết. Hãy xin {store} liên kết khác.",
  linkFullTitle: "Hôm nay không còn thanh toán được gì tại đây",
  linkFullText:
    "Liên kết thanh toán này đã đạt giới hạn hôm nay. Hãy quay lại vào ngày mai hoặc xin {store} liên kết khác.",

  unknownTitle: "Không có hóa đơn này",
  unknownText: "Hãy kiểm tra xem đã sao chép toàn bộ liên kết chưa, hoặc xin cửa hàng liên kết mới.",
  busyTitle: "Vui lòng chờ giây lát",
  busyText:
    "Hiện không thể hiển thị trang này. Trang sẽ tự thử lại. Nếu bạn đã thanh toán, tiền không bị mất.",
};
