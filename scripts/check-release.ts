// Says what is missing before a version can be published: node scripts/bootstrap.mjs scripts/check-release.ts v0.1.0
import { readdirSync, readFileSync } from 'node:fs'

export type PackageFields = {
  readonly version: string
  readonly repository?: unknown
  readonly bugs?: unknown
  readonly homepage?: unknown
}

/** Fields that only the owner of the project knows. */
const ownerFields = ['repository', 'bugs', 'homepage'] as const

/** Steps of the schema: those of the program, and those of the databases that later versions must open. */
export type SchemaSteps = { readonly migrations: number; readonly ofFixtures: number }

/** What prevents the publication of a version, one sentence each. */
export function releaseProblems(
  fields: PackageFields,
  changelog: string,
  tag: string,
  { migrations, ofFixtures }: SchemaSteps,
): string[] {
  const { version } = fields
  const missing = ownerFields.filter((name) => !fields[name])
  return [
    ...missing.map((name) => `package.json has no "${name}": the owner of the project fills it in.`),
    ...(tag === `v${version}` ? [] : [`The tag is ${tag}, and the version of package.json is ${version}.`]),
    ...(isDated(changelog, version) ? [] : [`CHANGELOG.md has no line "## ${version} (YYYY-MM-DD)": write the day.`]),
    ...(ofFixtures === migrations
      ? []
      : [
          `The databases in test/upgrade/fixtures have ${ofFixtures} migrations, and the program has ${migrations}: run test/upgrade/make-fixtures-program.ts.`,
        ]),
  ]
}

function isDated(changelog: string, version: string): boolean {
  return changelog.split('\n').some((line) => line.startsWith(`## ${version} (`) && /\(\d{4}-\d\d-\d\d\)$/.test(line))
}

export function readSchemaSteps(version: string): SchemaSteps {
  const facts = readFileSync(new URL(`../test/upgrade/fixtures/${version}.postgres.json`, import.meta.url), 'utf8')
  const files = readdirSync(new URL('../src/adapters/postgres/migrations', import.meta.url))
  const migrations = files.filter((name) => name.endsWith('.sql')).length
  return { migrations, ofFixtures: (JSON.parse(facts) as { migrations: number }).migrations }
}

if (import.meta.main) {
  const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8')
  const fields = JSON.parse(read('package.json')) as PackageFields
  const problems = releaseProblems(
    fields,
    read('CHANGELOG.md'),
    process.argv[2] ?? `v${fields.version}`,
    readSchemaSteps(fields.version),
  )
  for (const problem of problems) process.stderr.write(`${problem}\n`)
  if (problems.length > 0) process.exitCode = 1
}
