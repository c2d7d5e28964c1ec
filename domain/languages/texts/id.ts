import type { Texts } from "./en";

export const id: Texts = {
  invoiceFrom: "Tagihan dari {store}",
  testNetwork: "Jaringan uji ({network}): ini bukan uang sungguhan.",
  amountDue: "Jumlah yang harus dibayar",
  stillDue: "Sisa yang harus dibayar",
  showIn: "Tampilkan jumlah dalam",
  rate: "1 BTC = {rate}",
  timeLeft: "Sisa waktu: {time}",

  waitingTitle: "Menunggu pembayaran Anda",
  waitingText:
    "Pindai kode dengan aplikasi dompet Anda, atau tekan “Buka di dompet” jika dompet ada di perangkat ini. Kirim tepat sejumlah ini. Halaman ini menampilkan pembayaran Anda begitu masuk.",
  partialTitle: "Pembayaran masih kurang",
  partialText:
    "{paid} sudah masuk dan {remaining} masih harus dibayar. Bayar sisanya saja, dengan kode baru di bawah. Jika Anda membayar dari bursa, mungkin biayanya dipotong dari jumlah itu.",
  checkingTitle: "Memeriksa pembayaran",
  checkingText:
    "Kami memastikan tidak ada pembayaran yang sedang dalam perjalanan; ini perlu waktu sebentar. Jangan kirim apa pun sekarang. Jika Anda sudah membayar, uang Anda tidak hilang.",
  seenTitle: "Pembayaran diterima, menunggu konfirmasi",
  seenText:
    "Pembayaran Anda sudah masuk. Jaringan Bitcoin sedang mengonfirmasinya, biasanya beberapa menit hingga sekitar satu jam. Anda tidak perlu melakukan apa-apa lagi dan boleh menutup halaman ini: {store} diberi tahu secara otomatis.",
  paidTitle: "Lunas",
  paidText: "Terima kasih. Pembayaran Anda sudah lengkap dan diterima {store}.",
  acceptedTitle: "Diterima sebagai lunas",
  acceptedText: "{store} menerima tagihan ini sebagai lunas. Anda tidak perlu melakukan apa-apa lagi.",
  overpaidTitle: "Lunas, melebihi tagihan",
  overpaidText:
    "Terima kasih. Pembayaran Anda sudah diterima {store}. Anda membayar {excess} lebih dari tagihan, dan {store} dapat mengirimkannya kembali kepada Anda: lihat di bawah.",
  paidLateTitle: "Dibayar setelah waktu habis",
  paidLateText:
    "Pembayaran Anda sudah lengkap, tetapi masuk setelah tagihan ini kedaluwarsa. Uang Anda tidak hilang: hubungi {store} untuk mengetahui kelanjutan pesanan Anda.",
  paidLateOverText:
    "Pembayaran Anda sudah lengkap, tetapi masuk setelah tagihan ini kedaluwarsa dan lebih {excess} dari tagihan. Uang Anda tidak hilang: hubungi {store} untuk mengetahui kelanjutan pesanan Anda dan meminta kembali kelebihannya.",
  expiredTitle: "Tagihan ini sudah kedaluwarsa",
  expiredText: "Jangan dibayar lagi. Jika masih ingin membayar, mintalah tagihan baru kepada {store}.",
  underpaidTitle: "Kedaluwarsa, baru dibayar sebagian",
  underpaidText:
    "{paid} dari {due} sudah masuk, dan waktu pembayaran sudah habis. Uang Anda tidak hilang: hubungi {store} untuk membayar sisanya atau meminta uang Anda kembali. Jangan kirim lagi ke tagihan ini.",
  lateSeenTitle: "Pembayaran Anda yang terlambat sudah terlihat",
  lateSeenText:
    "Pembayaran masuk setelah tagihan ini kedaluwarsa dan menunggu konfirmasi jaringan Bitcoin. Uang Anda tidak hilang dan sekarang Anda tidak perlu melakukan apa-apa. Jangan membayar lagi.",
  invalidTitle: "Tagihan ini sudah tidak berlaku",
  invalidText:
    "Jangan dibayar. Jika Anda sudah membayar, pembayaran Anda tercatat: hubungi {store} dan kirimkan rincian di bawah.",
  vanishedOpen:
    "Pembayaran Anda sebelumnya ditarik dari jaringan atau digantikan, sehingga tidak sampai di sini. Jika Anda menaikkan biayanya di dompet, tunggu sebentar. Jika tidak, bayarlah dengan kode di bawah.",
  vanishedClosed:
    "Pembayaran sebelumnya ditarik dari jaringan atau digantikan, sehingga tidak sampai di sini. Bitcoin seharusnya masih ada di dompet Anda; jika tidak, hubungi {store}.",

  alreadyPaidTitle: "Sudah membayar?",
  alreadyPaidText:
    "Uang Anda tidak hilang. Kami masih memantau pembayaran Anda, dan halaman ini menampilkannya begitu ditemukan. Jangan membayar untuk kedua kali. Jika tidak muncul, hubungi {store} dan kirimkan rincian di bawah serta ID transaksi yang ditampilkan dompet Anda.",

  refundTitle: "Jika ada uang yang harus kembali kepada Anda",
  refundText:
    "Tinggalkan alamat Bitcoin dari dompet Anda sendiri, agar {store} dapat mengirim uang kembali ke sana. {store} yang memutuskan: tidak ada yang dikirim secara otomatis.",
  refundLabel: "Alamat Bitcoin Anda",
  refundHint: "Periksa baik-baik: alamat ini tidak bisa diubah lagi di sini.",
  refundLeave: "Tinggalkan alamat ini",
  refundLeftTitle: "Alamat pengembalian dana sudah ditinggalkan",
  refundLeftText:
    "{store} melihat alamat lengkapnya. Tidak ada yang dikirim ke sana secara otomatis. Untuk mengubahnya, hubungi {store}.",
  refundEmpty: "Mohon isi alamat: salin alamat penerima dari dompet Anda.",
  refundLightning: "Ini untuk Lightning. Mohon isi alamat Bitcoin.",
  refundOtherNetwork: "Ini alamat dari jaringan lain. Mohon isi alamat dari jaringan tempat Anda membayar.",
  refundTypo: "Ada salah ketik pada alamat ini. Mohon salin lagi dari dompet Anda.",
  refundNoAddress: "Ini bukan alamat Bitcoin. Mohon salin alamat penerima dari dompet Anda.",
  refundOwn: "Alamat ini milik sebuah tagihan di sini. Mohon isi alamat dari dompet Anda sendiri.",
  refundTaken:
    "Alamat lain sudah ditinggalkan sebelumnya, jadi yang ini tidak disimpan. Untuk mengubahnya, hubungi {store}.",
  refundNotNeeded: "Saat ini tagihan ini tidak memerlukan alamat pengembalian dana.",

  receiptMailTitle: "Bukti pembayaran lewat email",
  receiptMailText:
    "Dikirim setelah pembayaran lengkap. Alamat Anda tidak dipakai untuk hal lain, lalu dihapus.",
  receiptMailLabel: "Alamat email Anda",
  receiptMailLeave: "Kirimi saya bukti pembayaran",
  receiptMailLeft: "Akan dikirim ke {email} setelah pembayaran lengkap.",
  receiptMailSent: "Bukti pembayaran sudah dikirim.",
  receiptMailWrong: "Ini bukan alamat email. Bentuknya seperti ini: name@example.com",
  receiptMailClosed: "Tagihan ini sekarang tidak menerima alamat email.",
  mailWhy:
    "Alamat ini ditinggalkan di halaman pembayaran untuk menerima bukti pembayaran ini. Alamat ini tidak disimpan.",

  waysTitle: "Cara membayar",
  any: "Semua dompet",
  onchain: "Bitcoin",
  lightning: "Lightning",
  qrAny: "Kode QR untuk semua dompet Bitcoin atau Lightning",
  qrOnchain: "Kode QR untuk dompet Bitcoin",
  qrLightning: "Kode QR untuk dompet Lightning",
  openWallet: "Buka di dompet",
  addressHint: "Untuk membayar dari bursa atau menyalin alamat, pilih “{bitcoin}” di atas.",
  address: "Alamat Bitcoin",
  bolt11: "Tagihan Lightning",
  amount: "Jumlah",
  copy: "Salin",
  copyOf: "Salin: {what}",
  copied: "Tersalin",
  copyFailed: "Gagal menyalin. Pilih teksnya lalu salin.",
  dustRemainder:
    "Jaringan Bitcoin tidak meneruskan pembayaran di bawah {least}, jadi alamat ini meminta jumlah itu.",
  missingOnchain: "Saat ini tidak bisa membayar ke alamat Bitcoin.",
  missingLightning: "Saat ini tidak bisa membayar lewat Lightning.",
  noWays:
    "Tagihan ini belum bisa dibayar saat ini. Mohon tunggu: halaman ini menampilkan cara membayar begitu tersedia.",

  confirmations: "Konfirmasi: {have} dari {need}",
  details: "Rincian",
  receipt: "Bukti pembayaran",
  store: "Toko",
  order: "Pesanan",
  invoiceId: "Tagihan",
  description: "Keterangan",
  price: "Harga",
  received: "Diterima",
  created: "Dibuat",
  expires: "Bayar sebelum",
  expiredAt: "Kedaluwarsa",
  payment: "Pembayaran lewat {method}",
  seenAt: "Terlihat",
  confirmedAt: "Dikonfirmasi",
  txid: "ID transaksi",
  paymentHash: "Hash pembayaran",
  print: "Cetak",
  returnToStore: "Kembali ke {store}",
  redirecting: "Anda akan kembali ke {store} dalam {seconds} detik.",
  contact: "Hubungi {store}",
  website: "Situs web {store}",
  languages: "Bahasa",
  offline: "Tidak ada koneksi. Yang tampil mungkin bukan yang terbaru; kami terus mencoba.",

  linkPay: "Bayar",
  linkChoose: "Pilih jumlah",
  linkOwn: "Jumlah Anda",
  linkBounds: "Dari {least} sampai {most}",
  linkUnreadable: "Masukkan jumlah, misalnya {example}.",
  linkNotOffered: "Jumlah ini tidak bisa dibayar di sini. Silakan pilih yang lain.",
  linkDelete: "Hapus karakter terakhir",
  linkNext: "Pembayaran berikutnya",
  linkScan: "Pindai untuk membayar dengan Bitcoin",
  chooseOnchain: "Bayar ke alamat Bitcoin saja",
  linkUnknownTitle: "Tautan pembayaran ini tidak ada",
  linkClosedTitle: "Tidak ada lagi yang bisa dibayar di sini",
  linkClosedText:
    "Tautan pembayaran ini sudah ditutup atau habis terpakai. Mintalah yang lain kepada {store}.",
  linkFullTitle: "Hari ini tidak ada lagi yang bisa dibayar di sini",
  linkFullText:
    "Tautan pembayaran ini sudah mencapai batas hari ini. Kembalilah besok atau mintalah yang lain kepada {store}.",

  unknownTitle: "Tagihan ini tidak ada",
  unknownText: "Periksa apakah seluruh tautan sudah disalin, atau mintalah tautan baru kepada toko.",
  busyTitle: "Mohon tunggu sebentar",
  busyText:
    "Halaman ini belum bisa ditampilkan sekarang. Halaman akan mencoba lagi sendiri. Jika Anda sudah membayar, uang Anda tidak hilang.",
};
