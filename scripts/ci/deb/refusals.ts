import { eventually, must, type Inside } from "./inside";

/** systemd would leave it out without a word. */
export async function linkIsRefused(inside: Inside): Promise<void> {
  const link = "/etc/quittance/credentials/REDIS_URL";
  await inside.shell(`ln -s /etc/hostname ${link}`);
  const said = await inside.refusal("quittance", "doctor");
  must(said.includes(link), `with a credential that is a link: ${said}`);
  await inside.run("rm", link);
}

/** A secret that is also in the environment file: an app says which one and ends, and so does doctor. */
export async function conflictIsRefused(inside: Inside, secret: string): Promise<void> {
  await inside.shell(`cp -p /etc/quittance/quittance.env /root/quittance.env
    echo 'APP_SECRET=${secret}' >>/etc/quittance/quittance.env`);
  const said = await inside.refusal("quittance", "doctor");
  must(said.includes("APP_SECRET is set both"), `with a secret that is set twice, doctor: ${said}`);
  must(!said.includes(secret), "doctor prints a secret");
  await inside.run("systemctl", "start", "quittance-reconcile.service");
  await eventually("the app says what is wrong", async () => {
    const lines = await inside.run("journalctl", "--no-pager", "--output=cat", "--unit=quittance-reconcile");
    return lines.includes("APP_SECRET is set both");
  });
  await inside.run("systemctl", "stop", "quittance-reconcile.service");
  await inside.shell("mv /root/quittance.env /etc/quittance/quittance.env");
}

/** fail2ban reads the refusals in the journal. */
export async function attackerIsBanned(inside: Inside, api: string): Promise<void> {
  const attacker = "203.0.113.9";
  const headers = { authorization: "Bearer sk_test_guessed", "x-forwarded-for": attacker };
  await inside.run("systemctl", "restart", "fail2ban.service");
  await eventually("fail2ban bans who guesses keys", async () => {
    await fetch(`${api}/server/info`, { headers });
    const banned = await inside.run("fail2ban-client", "get", "quittance", "banip");
    return banned.split(/\s+/).includes(attacker);
  });
  await inside.run("systemctl", "stop", "fail2ban.service");
}
