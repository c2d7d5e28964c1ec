import type { Texts } from "./en";

export const ja: Texts = {
  invoiceFrom: "{store} からの請求書",
  testNetwork: "テストネットワーク（{network}）です。本物のお金ではありません。",
  amountDue: "お支払い金額",
  stillDue: "残りのお支払い金額",
  showIn: "金額の表示単位",
  rate: "1 BTC = {rate}",
  timeLeft: "残り時間：{time}",

  waitingTitle: "お支払いをお待ちしています",
  waitingText:
    "ウォレットアプリでコードを読み取るか、この端末にウォレットがある場合は「ウォレットで開く」を押してください。この金額を正確に送ってください。入金があると、すぐにこのページに表示されます。",
  partialTitle: "お支払いが一部不足しています",
  partialText:
    "{paid} が届き、残りは {remaining} です。下の新しいコードで、残りの金額だけをお支払いください。取引所から送金した場合は、手数料が金額から差し引かれた可能性があります。",
  checkingTitle: "入金を確認しています",
  checkingText:
    "送金中のお支払いがないか確認しています。少しお待ちください。今は何も送らないでください。すでにお支払い済みの場合も、お金が失われることはありません。",
  seenTitle: "入金を受け付けました。承認待ちです",
  seenText:
    "お支払いが届きました。現在ビットコインネットワークで承認中です。数分から1時間ほどかかります。お客様の操作はこれで完了です。このページを閉じても、{store} には自動的に通知されます。",
  paidTitle: "支払い済み",
  paidText: "ありがとうございます。お支払いは完了し、{store} に届きました。",
  acceptedTitle: "支払い済みとして受理",
  acceptedText: "{store} がこの請求書を支払い済みとして受理しました。これ以上の操作は必要ありません。",
  overpaidTitle: "支払い済み（金額超過）",
  overpaidText:
    "ありがとうございます。お支払いは {store} に届きました。請求額より {excess} 多くお支払いいただいています。超過分は {store} から返金できます。下をご覧ください。",
  paidLateTitle: "期限後のお支払い",
  paidLateText:
    "お支払いは全額届きましたが、請求書の期限が過ぎた後でした。お金は失われていません。ご注文の今後については {store} にお問い合わせください。",
  paidLateOverText:
    "お支払いは全額届きましたが、請求書の期限が過ぎた後で、請求額より {excess} 多くお支払いいただいています。お金は失われていません。ご注文の今後と超過分の返金については {store} にお問い合わせください。",
  expiredTitle: "この請求書は期限切れです",
  expiredText:
    "この請求書にはもう支払わないでください。お支払いをご希望の場合は、{store} に新しい請求書をご依頼ください。",
  underpaidTitle: "期限切れ（一部支払い済み）",
  underpaidText:
    "{due} のうち {paid} が届きましたが、お支払いの期限が過ぎました。お金は失われていません。残りのお支払いまたは返金については {store} にご連絡ください。この請求書にはこれ以上送らないでください。",
  lateSeenTitle: "期限後のお支払いを確認しました",
  lateSeenText:
    "請求書の期限が過ぎた後に届き、ビットコインネットワークの承認を待っています。お金は失われていません。今は何もする必要はありません。もう一度支払わないでください。",
  invalidTitle: "この請求書は無効になりました",
  invalidText:
    "この請求書には支払わないでください。すでにお支払い済みの場合、入金は記録されています。下の情報を添えて {store} にご連絡ください。",
  vanishedOpen:
    "先ほどのお支払いはネットワークから取り消されたか、別の取引に置き換えられたため、こちらには届きませんでした。ウォレットで手数料を引き上げた場合は、少しお待ちください。それ以外の場合は、下のコードでお支払いください。",
  vanishedClosed:
    "以前のお支払いはネットワークから取り消されたか、別の取引に置き換えられたため、こちらには届きませんでした。ビットコインはウォレットに残っているはずです。残っていない場合は {store} にお問い合わせください。",

  alreadyPaidTitle: "すでにお支払い済みですか？",
  alreadyPaidText:
    "お金は失われていません。引き続き入金を確認しており、見つかりしだいこのページに表示されます。二重に支払わないでください。表示されない場合は、下の情報とウォレットに表示されるトランザクションIDを添えて {store} にご連絡ください。",

  refundTitle: "返金が必要な場合",
  refundText:
    "ご自身のウォレットのビットコインアドレスを登録しておくと、{store} がそこへ返金できます。返金するかどうかは {store} が判断します。自動的に送金されることはありません。",
  refundLabel: "ご自身のビットコインアドレス",
  refundHint: "よくご確認ください。後からここで変更することはできません。",
  refundLeave: "このアドレスを登録する",
  refundLeftTitle: "返金先アドレスが登録されました",
  refundLeftText:
    "{store} にはアドレス全体が表示されます。自動的に送金されることはありません。変更するには {store} にご連絡ください。",
  refundEmpty: "アドレスを入力してください。ウォレットから受取用アドレスをコピーしてください。",
  refundLightning: "これはライトニング用です。代わりにビットコインアドレスを入力してください。",
  refundOtherNetwork:
    "これは別のネットワークのアドレスです。お支払いに使ったネットワークのアドレスを入力してください。",
  refundTypo: "このアドレスには入力ミスがあります。ウォレットからもう一度コピーしてください。",
  refundNoAddress:
    "これはビットコインアドレスではありません。ウォレットから受取用アドレスをコピーしてください。",
  refundOwn: "このアドレスはこのサービスの請求書のものです。ご自身のウォレットのアドレスを入力してください。",
  refundTaken:
    "すでに別のアドレスが登録されているため、このアドレスは登録されませんでした。変更するには {store} にご連絡ください。",
  refundNotNeeded: "現在、この請求書に返金先アドレスは必要ありません。",

  receiptMailTitle: "メールで領収明細を受け取る",
  receiptMailText: "お支払いの完了後に送信します。アドレスはほかの目的には使われず、その後削除されます。",
  receiptMailLabel: "メールアドレス",
  receiptMailLeave: "領収明細を送る",
  receiptMailLeft: "お支払いの完了後に {email} へ送信します。",
  receiptMailSent: "領収明細を送信しました。",
  receiptMailWrong: "これはメールアドレスではありません。例：name@example.com",
  receiptMailClosed: "この請求書では現在メールアドレスを受け付けていません。",
  mailWhy:
    "この領収明細を受け取るため、支払いページでこのアドレスが入力されました。アドレスは保存されません。",

  waysTitle: "お支払い方法",
  any: "共通",
  onchain: "ビットコイン",
  lightning: "ライトニング",
  qrAny: "ビットコインまたはライトニング対応ウォレット用のQRコード",
  qrOnchain: "ビットコインウォレット用のQRコード",
  qrLightning: "ライトニングウォレット用のQRコード",
  openWallet: "ウォレットで開く",
  addressHint: "取引所から支払う場合やアドレスをコピーする場合は、上の「{bitcoin}」を選んでください。",
  address: "ビットコインアドレス",
  bolt11: "ライトニングインボイス",
  amount: "金額",
  copy: "コピー",
  copyOf: "コピー：{what}",
  copied: "コピーしました",
  copyFailed: "コピーできませんでした。テキストを選択してコピーしてください。",
  dustRemainder:
    "ビットコインのネットワークは {least} 未満の支払いを中継しないため、アドレスへはこの金額をお支払いください。",
  missingOnchain: "現在、ビットコインアドレスへのお支払いはできません。",
  missingLightning: "現在、ライトニングでのお支払いはできません。",
  noWays:
    "現在、この請求書のお支払いはできません。お待ちください。お支払いできるようになりしだい、このページに表示されます。",

  confirmations: "承認数：{have} / {need}",
  details: "詳細",
  receipt: "領収明細",
  store: "店舗",
  order: "注文",
  invoiceId: "請求書",
  description: "内容",
  price: "価格",
  received: "受領額",
  created: "作成日時",
  expires: "支払期限",
  expiredAt: "期限切れ日時",
  payment: "{method}でのお支払い",
  seenAt: "検出日時",
  confirmedAt: "承認日時",
  txid: "トランザクションID",
  paymentHash: "支払いハッシュ",
  print: "印刷",
  returnToStore: "{store} に戻る",
  redirecting: "{seconds} 秒後に {store} に戻ります。",
  contact: "{store} に問い合わせる",
  website: "{store} のウェブサイト",
  languages: "言語",
  offline: "接続がありません。表示内容が古い可能性があります。再接続を試みています。",

  linkPay: "支払う",
  linkChoose: "金額をお選びください",
  linkOwn: "お支払い金額",
  linkBounds: "{least} から {most} まで",
  linkUnreadable: "金額を入力してください（例：{example}）。",
  linkNotOffered: "この金額はここではお支払いいただけません。別の金額をお選びください。",
  linkDelete: "最後の文字を削除",
  linkNext: "次のお支払い",
  linkScan: "スキャンしてビットコインで支払う",
  chooseOnchain: "代わりにビットコインアドレスへ支払う",
  linkUnknownTitle: "この支払いリンクは見つかりません",
  linkClosedTitle: "こちらではもうお支払いいただけません",
  linkClosedText: "この支払いリンクは終了したか、上限に達しました。{store} に別のリンクをご依頼ください。",
  linkFullTitle: "本日はこちらではもうお支払いいただけません",
  linkFullText:
    "この支払いリンクは本日の上限に達しました。明日またお越しいただくか、{store} に別のリンクをご依頼ください。",

  unknownTitle: "この請求書は見つかりません",
  unknownText: "リンク全体がコピーされているかご確認いただくか、店舗に新しいリンクをご依頼ください。",
  busyTitle: "少々お待ちください",
  busyText:
    "現在このページを表示できません。自動的に再試行します。すでにお支払い済みの場合も、お金が失われることはありません。",
};
