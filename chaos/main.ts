// Real servers, real clients and every fault we know of: npm run chaos -- [--seed TEXT] [--seconds N] [--database NAME]
import { randomInt } from 'node:crypto'
import { readArguments, usage, WrongCall } from './arguments.ts'
import { type Report, reportText } from './report.ts'
import { runChaos } from './run.ts'

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const complain = (text: string): void => void process.stderr.write(`${text}\n`)

async function main(): Promise<number> {
  const given = readArguments(process.argv.slice(2), () => String(randomInt(1_000_000)))
  if (given.help) {
    say(usage)
    return 0
  }
  const { seed, seconds } = given
  const reports: Report[] = []
  for (const database of given.databases) {
    complain(`chaos on ${database}, seed ${seed}, ${seconds} s`)
    const report = await runChaos({ seed, seconds, database })
    reports.push(report)
    if (!given.json) say(`${reportText(report)}\n`)
  }
  if (given.json) say(JSON.stringify({ ok: reports.every(({ ok }) => ok), reports }, null, 2))
  return reports.every(({ ok }) => ok) ? 0 : 1
}

/** If something is left that could not be closed, the process ends nevertheless. */
const exitMsMax = 10_000

try {
  process.exitCode = await main()
} catch (error) {
  const message = error instanceof Error ? error.message : String(error)
  complain(error instanceof WrongCall ? `${message}\n${usage}` : `chaos: ${message}`)
  process.exitCode = error instanceof WrongCall ? 2 : 1
}
setTimeout(() => process.exit(), exitMsMax).unref()
