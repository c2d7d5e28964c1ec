// node cluster.cjs MAIN COPIES: so many processes that share a port, as PM2's cluster mode runs the API. Sends over its
// channel their ids, and when all are ready.

const cluster = require("node:cluster");

const [main, copies] = process.argv.slice(2);
cluster.setupPrimary({ exec: main, args: [] });
let ready = 0;
const pids = [];
for (let copy = 0; copy < Number(copies); copy += 1) {
  const worker = cluster.fork();
  pids.push(worker.process.pid);
  worker.on("message", (message) => {
    if (message !== "ready") return;
    ready += 1;
    if (ready === Number(copies)) process.send({ ready: pids });
  });
  worker.on("exit", (code) => {
    if (code !== 0) process.exit(1);
  });
}
const stop = () => {
  for (const worker of Object.values(cluster.workers)) worker.process.kill("SIGTERM");
};
process.on("SIGTERM", stop);
process.on("disconnect", () => {
  for (const worker of Object.values(cluster.workers)) worker.process.kill("SIGKILL");
  process.exit(1);
});
