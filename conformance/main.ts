// The conformance suite's command line: npm run conformance -- --url URL --key KEY [options]
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Target } from './harness.ts'
import { loadPublished } from './published.ts'
import { allScenarios } from './registry.ts'
import { countOutcomes, markdownReport } from './report.ts'
import { fetchDiscovery, runConformance } from './run.ts'

const usage = `usage: npm run conformance -- --url URL --key KEY [options]
  --key-b KEY            a key of another tenant, for the isolation scenarios
  --low-scope-key KEY    a valid key without runs:create
  --revoked-key KEY      a key that was revoked
  --expired-run ID       a run whose events are past the retention window
  --degraded-agent ID    an agent whose memory needs the host cannot meet
  --webhook-receiver     the host can reach 127.0.0.1 here and accepts such webhooks
  --schemas FOLDER       the published OpenWOP schemas (default: ../shared/openwop/schemas if it exists)
  --filter TEXT          only scenarios whose id, facts or title hold the text
  --report FILE          write a Markdown report
  --json                 print the results as JSON
  --allow-blocked        end with 0 although scenarios were blocked
  --list                 list the scenarios and end
Keys are also taken from CONFORMANCE_KEY, CONFORMANCE_KEY_B, CONFORMANCE_LOW_SCOPE_KEY and CONFORMANCE_REVOKED_KEY.`

const options = {
  url: { type: 'string' },
  key: { type: 'string' },
  'key-b': { type: 'string' },
  'low-scope-key': { type: 'string' },
  'revoked-key': { type: 'string' },
  'expired-run': { type: 'string' },
  'degraded-agent': { type: 'string' },
  'webhook-receiver': { type: 'boolean', default: false },
  schemas: { type: 'string' },
  filter: { type: 'string', default: '' },
  report: { type: 'string' },
  json: { type: 'boolean', default: false },
  'allow-blocked': { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

const say = (text: string): void => void process.stdout.write(`${text}\n`)

function refuse(message: string): never {
  process.stderr.write(`${message}\n${usage}\n`)
  process.exit(2)
}

function readArguments() {
  try {
    return parseArgs({ options, allowPositionals: false }).values
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

function schemaFolder(given: string | undefined): string | null {
  if (given !== undefined && !existsSync(given)) refuse(`--schemas: there is no folder ${given}`)
  const folder = given ?? join(import.meta.dirname, '..', '..', 'shared', 'openwop', 'schemas')
  return existsSync(folder) ? folder : null
}

const given = readArguments()
const scenarios = allScenarios.filter(({ id, facts, title }) => `${id} ${facts} ${title}`.includes(given.filter))

if (given.help) {
  say(usage)
} else if (given.list) {
  for (const { id, facts, title } of scenarios) say(`${id}  (${facts})  ${title}`)
} else {
  const url = given.url
  const key = given.key ?? process.env.CONFORMANCE_KEY
  if (url === undefined || !URL.canParse(url)) refuse('--url must be the address of the host')
  if (!key) refuse('--key is missing')
  if (scenarios.length === 0) refuse(`no scenario matches ${given.filter}`)
  process.exitCode = await runAll({
    url,
    key,
    keyB: given['key-b'] ?? process.env.CONFORMANCE_KEY_B ?? null,
    lowScopeKey: given['low-scope-key'] ?? process.env.CONFORMANCE_LOW_SCOPE_KEY ?? null,
    revokedKey: given['revoked-key'] ?? process.env.CONFORMANCE_REVOKED_KEY ?? null,
    expiredRunId: given['expired-run'] ?? null,
    degradedAgentId: given['degraded-agent'] ?? null,
    webhookReceiver: given['webhook-receiver'],
  })
}

async function runAll(target: Target): Promise<number> {
  const published = loadPublished(schemaFolder(given.schemas))
  try {
    const discovery = await fetchDiscovery(target)
    const results = await runConformance(target, scenarios, {
      published,
      onResult: ({ id, outcome, assertions, reason }) => {
        if (!given.json) say(`${outcome.padEnd(13)} ${id} (${assertions})${reason === '' ? '' : `: ${reason}`}`)
      },
    })
    const counts = countOutcomes(results)
    const report = markdownReport({ url: target.url, discovery, results, published, date: new Date() })
    if (given.report !== undefined) writeFileSync(given.report, report)
    if (given.json) say(JSON.stringify({ counts, results }, null, 2))
    else
      say(
        Object.entries(counts)
          .map(([outcome, count]) => `${outcome} ${count}`)
          .join(', '),
      )
    return counts['executed-fail'] > 0 || (counts.blocked > 0 && !given['allow-blocked']) ? 1 : 0
  } catch (error) {
    process.stderr.write(`conformance: ${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }
}
