// The arguments of the suite's command line.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Target } from './harness.ts'
import { neighbouringSchemas } from './published.ts'

export const usage = `usage: npm run conformance -- --url URL --key KEY [options]
  --key-b KEY            a key of another tenant, for the isolation scenarios
  --low-scope-key KEY    a valid key without runs:create
  --revoked-key KEY      a key that was revoked
  --expired-run ID       a run whose events are past the retention window
  --degraded-agent ID    an agent whose memory needs the host cannot meet
  --webhook-receiver     the host can reach 127.0.0.1 here and accepts such webhooks
  --restart COMMAND      a command that restarts the host and ends when it answers again
  --schemas FOLDER       the published OpenWOP schemas (default: ../shared/openwop/schemas if it exists)
  --filter TEXT          only scenarios whose id, facts or title hold the text
  --jobs N               how many scenarios run at a time (default 6)
  --report [FILE]        write a Markdown report, without FILE in place of the results
  --json                 print the results as JSON
  --allow-blocked        end with 0 although scenarios were blocked
  --list                 list the scenarios and end
Keys are also taken from CONFORMANCE_KEY, CONFORMANCE_KEY_B, CONFORMANCE_LOW_SCOPE_KEY and CONFORMANCE_REVOKED_KEY,
where no list of processes shows them.`

const options = {
  url: { type: 'string' },
  key: { type: 'string' },
  'key-b': { type: 'string' },
  'low-scope-key': { type: 'string' },
  'revoked-key': { type: 'string' },
  'expired-run': { type: 'string' },
  'degraded-agent': { type: 'string' },
  'webhook-receiver': { type: 'boolean', default: false },
  restart: { type: 'string' },
  schemas: { type: 'string' },
  filter: { type: 'string', default: '' },
  jobs: { type: 'string', default: '6' },
  report: { type: 'string' },
  json: { type: 'boolean', default: false },
  'allow-blocked': { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

const jobsMax = 64

/** The report goes to standard output. */
export const toStandardOutput = '-'

export type Arguments = ReturnType<typeof parse>
type Env = Readonly<Record<string, string | undefined>>

/** A usage error. The message repeats no value, because it may be a key in the wrong place. */
export class WrongCall extends Error {}

/** `--report` may stand without a file, which parseArgs does not know. */
function completeReport(args: readonly string[]): string[] {
  return args.flatMap((argument, index) => {
    const next = args[index + 1]
    const isBare = argument === '--report' && (next === undefined || next.startsWith('--'))
    return isBare ? ['--report', toStandardOutput] : [argument]
  })
}

function parse(args: readonly string[]) {
  return parseArgs({ options, allowPositionals: false, args: completeReport(args) }).values
}

export function readArguments(args: readonly string[]): Arguments {
  try {
    return parse(args)
  } catch (error) {
    const isPositional = (error as { code?: string }).code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL'
    if (isPositional || !(error instanceof Error)) throw new WrongCall('every value needs the name of its option')
    throw new WrongCall(error.message)
  }
}

export function readTarget(given: Arguments, env: Env): Target {
  const { url } = given
  const key = given.key ?? env.CONFORMANCE_KEY
  if (url === undefined || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new WrongCall('--url must be the http or https address of the host')
  const { username, password } = new URL(url)
  if (username !== '' || password !== '') throw new WrongCall('--url must not hold a user name or a password')
  if (!key) throw new WrongCall('--key is missing')
  return {
    url,
    key,
    keyB: given['key-b'] ?? env.CONFORMANCE_KEY_B ?? null,
    lowScopeKey: given['low-scope-key'] ?? env.CONFORMANCE_LOW_SCOPE_KEY ?? null,
    revokedKey: given['revoked-key'] ?? env.CONFORMANCE_REVOKED_KEY ?? null,
    expiredRunId: given['expired-run'] ?? null,
    degradedAgentId: given['degraded-agent'] ?? null,
    webhookReceiver: given['webhook-receiver'],
    ...(given.restart === undefined ? {} : { restart: restartBy(given.restart, url) }),
  }
}

/** The address stays the same. A command that fails ends the scenario. */
function restartBy(command: string, url: string): () => Promise<string> {
  return async () => {
    const child = spawn(command, { shell: true, stdio: ['ignore', 'ignore', 'inherit'] })
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error(`the command of --restart ended with ${code}`)
    return url
  }
}

export function readJobs({ jobs }: Arguments): number {
  const count = Number(jobs)
  if (!Number.isInteger(count) || count < 1 || count > jobsMax)
    throw new WrongCall(`--jobs must be a whole number from 1 to ${jobsMax}`)
  return count
}

export function readSchemaFolder({ schemas }: Arguments): string | null {
  if (schemas !== undefined && !existsSync(schemas)) throw new WrongCall('--schemas: there is no such folder')
  return schemas ?? neighbouringSchemas()
}
