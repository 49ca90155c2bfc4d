// The conformance suite's command line: npm run conformance -- --url URL --key KEY [options]
import { writeFileSync } from 'node:fs'
import {
  type Arguments,
  readArguments,
  readJobs,
  readSchemaFolder,
  readTarget,
  toStandardOutput,
  usage,
  WrongCall,
} from './arguments.ts'
import type { Scenario } from './harness.ts'
import { withoutKeys } from './keys.ts'
import { loadPublished } from './published.ts'
import { allScenarios } from './registry.ts'
import { countOutcomes, markdownReport, summaryOf } from './report.ts'
import { fetchDiscovery, type Result, runConformance } from './run.ts'

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const complain = (text: string): void => void process.stderr.write(`${text}\n`)

const lineOf = ({ id, outcome, asserted, reason }: Result): string =>
  `${outcome.padEnd(13)} ${id} (${asserted.length})${reason === '' ? '' : `: ${reason}`}`

async function judge(given: Arguments, scenarios: readonly Scenario[]): Promise<number> {
  const target = readTarget(given, process.env)
  const published = loadPublished(readSchemaFolder(given))
  const jobs = readJobs(given)
  if (scenarios.length === 0) throw new WrongCall('no scenario matches --filter')
  const isQuiet = given.json || given.report === toStandardOutput
  const discovery = await fetchDiscovery(target)
  const results = await runConformance(target, scenarios, {
    published,
    jobs,
    onResult: (result) => void (isQuiet || say(lineOf(result))),
  })
  const counts = countOutcomes(results)
  if (given.report !== undefined) {
    const input = { url: target.url, discovery, results, published, date: new Date() }
    const report = withoutKeys(target, markdownReport(input))
    if (given.report === toStandardOutput) say(report.trimEnd())
    else writeFileSync(given.report, report)
  }
  const shown = results.map(({ asserted, ...result }) => ({ ...result, assertions: asserted.length }))
  if (given.json) say(JSON.stringify({ counts, results: shown }, null, 2))
  else if (!isQuiet) say(summaryOf(results))
  return counts['executed-fail'] > 0 || (counts.blocked > 0 && !given['allow-blocked']) ? 1 : 0
}

async function main(): Promise<number> {
  const given = readArguments(process.argv.slice(2))
  const scenarios = allScenarios.filter(({ id, facts, title }) => `${id} ${facts} ${title}`.includes(given.filter))
  if (given.help) say(usage)
  else if (given.list) for (const { id, facts, title } of scenarios) say(`${id}  (${facts})  ${title}`)
  else return judge(given, scenarios)
  return 0
}

try {
  process.exitCode = await main()
} catch (error) {
  const message = error instanceof Error ? error.message : String(error)
  complain(error instanceof WrongCall ? `${message}\n${usage}` : `conformance: ${message}`)
  process.exitCode = error instanceof WrongCall ? 2 : 1
}
