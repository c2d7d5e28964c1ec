// npm run migration:new -- NAME: writes an empty migration, named as TypeORM and test/database/migrations.test.ts want it.

const { readdirSync, writeFileSync } = require("node:fs");
const path = require("node:path");
const { ROOT, refuse } = require("./setup.cjs");

const MIGRATIONS = path.join(ROOT, "database", "migrations");
const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const NAME_MAX = 60;

/** The class of a migration's file, without its ending. */
function classOf(file) {
  const [time, ...words] = file.split("-");
  return words.map((word) => word[0].toUpperCase() + word.slice(1)).join("") + time;
}

const textOf = (name) => `import type { MigrationInterface, QueryRunner } from "typeorm";

export class ${name} implements MigrationInterface {
  name = "${name}";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(\`\`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(\`\`);
  }
}
`;

/**
 * Writes it behind all others in `folder`. Returns the file's name.
 * @throws RangeError for a name that a class cannot have.
 */
function writeMigration(name, folder = MIGRATIONS, now = Date.now()) {
  if (!NAME.test(name) || name.length > NAME_MAX)
    throw new RangeError(
      `The name must be lower-case words with hyphens between them, at most ${NAME_MAX} characters, such as add-invoice-notes.`,
    );
  const times = readdirSync(folder).map((file) => Number.parseInt(file, 10) || 0);
  const file = `${Math.max(now, ...times.map((time) => time + 1))}-${name}`;
  writeFileSync(path.join(folder, `${file}.ts`), textOf(classOf(file)), { flag: "wx" });
  return `${file}.ts`;
}

module.exports = { classOf, writeMigration };

if (require.main === module) {
  const [name, ...more] = process.argv.slice(2);
  if (name === undefined || more.length > 0)
    refuse("Usage: npm run migration:new -- <name>, such as add-invoice-notes.");
  try {
    const file = writeMigration(name);
    process.stdout.write(
      `database/migrations/${file} written: fill in up and down, then npm test -- test/database/migrations.test.ts\n`,
    );
  } catch (error) {
    refuse(error.message);
  }
}
