// The outcome of a run as Markdown. It holds no credential.
import type { JsonObject, Outcome } from './harness.ts'
import { isObject } from './harness.ts'
import { judgeProfiles, type ProfileVerdict } from './profiles.ts'
import type { Published } from './published.ts'
import type { Result } from './run.ts'

const outcomes: readonly Outcome[] = ['executed-pass', 'executed-fail', 'inapplicable', 'blocked']

export function countOutcomes(results: readonly Result[]): Record<Outcome, number> {
  const counts: Record<Outcome, number> = { 'executed-pass': 0, 'executed-fail': 0, inapplicable: 0, blocked: 0 }
  for (const { outcome } of results) counts[outcome] += 1
  return counts
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')

function hostName(discovery: JsonObject): string {
  const implementation = isObject(discovery.implementation) ? discovery.implementation : {}
  const named = [implementation.name, implementation.version].filter((part) => typeof part === 'string').join(' ')
  return named === '' ? 'a host that does not give its name' : named
}

const profileLine = ({ name, holds, lacking }: ProfileVerdict): string =>
  holds ? `- ${name}: holds` : `- ${name}: not shown; lacking: ${lacking.join(', ')}`

export type ReportInput = {
  readonly url: string
  readonly discovery: JsonObject
  readonly results: readonly Result[]
  readonly published: Published
  readonly date: Date
}

export function markdownReport({ url, discovery, results, published, date }: ReportInput): string {
  const counts = countOutcomes(results)
  const schemas =
    published.folder === null
      ? 'The published schemas were not at hand, so only the assertions of the scenarios were made.'
      : 'Answers were also validated against the published schemas.'
  const rows = results.map(
    ({ id, facts, title, outcome, assertions, reason }) =>
      `| ${cell(id)} | ${cell(facts)} | ${cell(title)} | ${outcome} | ${assertions} | ${cell(reason)} |`,
  )
  return [
    '# OpenWOP conformance report',
    '',
    `- Host: ${hostName(discovery)} at ${new URL(url).origin}, protocol ${String(discovery.protocolVersion)}`,
    `- Date: ${date.toISOString()}`,
    `- Scenarios: ${results.length}; ${outcomes.map((outcome) => `${outcome} ${counts[outcome]}`).join(', ')}`,
    `- Assertions: ${results.reduce((sum, { assertions }) => sum + assertions, 0)}`,
    `- ${schemas}`,
    '',
    'Profiles that the discovery document claims, and whether the scenarios of their floor passed here:',
    '',
    ...judgeProfiles(discovery, results).map(profileLine),
    '',
    '| scenario | facts | title | outcome | assertions | reason |',
    '|---|---|---|---|---:|---|',
    ...rows,
    '',
  ].join('\n')
}
