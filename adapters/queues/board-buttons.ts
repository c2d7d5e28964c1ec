// The board has no settings for the buttons that this service refuses (board.ts), so a style hides them by their
// icons; test/e2e/queue-board.test.ts counts the rest.

const RETRY_ICON = ".lucide-refresh-cw";

/** All buttons of a job and of a list of jobs except those that retry. */
const BUT_RETRIES = ["jobActions-", "queueActions-"].map(
  (list) => `[class*="${list}"] > li:not(:has(${RETRY_ICON}))`,
);

const HIDDEN = [
  ...BUT_RETRIES,
  // A queue's menu (add a job, pause, limits, empty, obliterate), and the limits in a queue's data.
  'button[class*="trigger-"]:has(> .lucide-ellipsis-vertical)',
  '[class*="editButton-"]',
  // In the menu of all queues.
  ...["pause", "play"].map((icon) => `[role="menuitem"]:has(> .lucide-${icon})`),
];
const STYLE = `<style>${HIDDEN.join(",")}{display:none!important}</style>`;

export function withoutRefusedButtons(page: string): string {
  return page.replace("</head>", `${STYLE}</head>`);
}
