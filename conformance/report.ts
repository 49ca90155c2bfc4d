// The outcome of a run as Markdown. It holds no credential, and nothing a host says can change its layout.
import type { JsonObject, Outcome } from './harness.ts'
import { isObject } from './harness.ts'
import { judgeProfiles, type ProfileVerdict } from './profiles.ts'
import type { Published } from './published.ts'
import type { Result } from './run.ts'

/** Outcomes that need attention come first. */
const sections: readonly {
  readonly outcome: Outcome
  readonly heading: string
  readonly last: 'reason' | 'assertions'
}[] = [
  { outcome: 'executed-fail', heading: 'Failed', last: 'reason' },
  { outcome: 'blocked', heading: 'Blocked: it binds the host, but could not be seen here', last: 'reason' },
  { outcome: 'executed-pass', heading: 'Passed', last: 'assertions' },
  { outcome: 'inapplicable', heading: 'Inapplicable: it does not bind this host', last: 'reason' },
]

export function countOutcomes(results: readonly Result[]): Record<Outcome, number> {
  const counts: Record<Outcome, number> = { 'executed-pass': 0, 'executed-fail': 0, inapplicable: 0, blocked: 0 }
  for (const { outcome } of results) counts[outcome] += 1
  return counts
}

export function summaryOf(results: readonly Result[]): string {
  const counts = Object.entries(countOutcomes(results)).map(([outcome, count]) => `${outcome} ${count}`)
  return counts.join(', ')
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

const plain = (text: string): string =>
  text
    .replaceAll(/[&<>]/g, (char) => entities[char] ?? char)
    .replaceAll(/[\\`*_[\]|]/g, '\\$&')
    .replaceAll(/\s+/g, ' ')

function hostName(discovery: JsonObject): string {
  const implementation = isObject(discovery.implementation) ? discovery.implementation : {}
  const named = [implementation.name, implementation.version].filter((part) => typeof part === 'string').join(' ')
  return named === '' ? 'a host that does not give its name' : plain(named)
}

const profileLine = ({ name, holds, lacking }: ProfileVerdict): string =>
  holds ? `- ${name}: holds` : `- ${name}: not shown; lacking: ${lacking.join(', ')}`

function sectionLines(results: readonly Result[], { outcome, heading, last }: (typeof sections)[number]): string[] {
  const rows = results
    .filter((result) => result.outcome === outcome)
    .map((result) => ({ ...result, assertions: String(result.asserted.length) }))
    .map((result) => `| ${plain(result.id)} | ${plain(result.title)} | ${plain(result[last])} |`)
  if (rows.length === 0) return []
  const rule = last === 'assertions' ? '|---|---|---:|' : '|---|---|---|'
  return ['', `## ${heading} (${rows.length})`, '', `| scenario | what it shows | ${last} |`, rule, ...rows]
}

export type ReportInput = {
  readonly url: string
  readonly discovery: JsonObject
  readonly results: readonly Result[]
  readonly published: Published
  readonly date: Date
}

export function markdownReport({ url, discovery, results, published, date }: ReportInput): string {
  const schemas =
    published.folder === null
      ? 'The published schemas were not at hand, so only the assertions of the scenarios were made.'
      : 'Answers were also validated against the published schemas.'
  return [
    '# OpenWOP conformance report',
    '',
    `- Host: ${hostName(discovery)} at ${new URL(url).origin}, protocol ${plain(String(discovery.protocolVersion))}`,
    `- Date: ${date.toISOString()}`,
    `- Scenarios: ${results.length}; ${summaryOf(results)}`,
    `- Assertions: ${results.reduce((sum, { asserted }) => sum + asserted.length, 0)}`,
    `- ${schemas}`,
    '',
    '## Profiles',
    '',
    'Those that the discovery document claims, and whether the scenarios of their floor passed here:',
    '',
    ...judgeProfiles(discovery, results).map(profileLine),
    ...sections.flatMap((section) => sectionLines(results, section)),
    '',
  ].join('\n')
}
