// Writes the generated parts of docs/CONFORMANCE.md: node scripts/bootstrap.mjs scripts/write-conformance-docs.ts
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Scenario } from '../conformance/harness.ts'
import { allScenarios } from '../conformance/registry.ts'

const root = join(import.meta.dirname, '..')
const page = join(root, 'docs/CONFORMANCE.md')

/** One requirement as the page has it. `proofs` are scenarios, or tests by file and title. */
export type Requirement = {
  readonly id: string
  readonly level: string
  readonly status: string
  readonly proofs: readonly string[]
}

const requirementRow = /^\| (\d{4}-[A-Z]\d+|PROV-\d+) \| (.+) \| (.+) \| (.+) \| (.+) \|$/gm

export function requirementsOf(text: string): Requirement[] {
  return [...text.matchAll(requirementRow)].map(([, id = '', , level = '', status = '', proofs = '']) => ({
    id,
    level,
    status,
    proofs: proofs === '–' ? [] : proofs.split('<br>'),
  }))
}

const statuses = ['holds', 'untested', 'fails'] as const

function counts(requirements: readonly Requirement[]): string {
  const sources = [...new Set(requirements.map(({ id }) => id.split('-')[0] ?? ''))]
  const rowOf = (name: string, rows: readonly Requirement[]) => {
    const numbers = statuses.map((status) => rows.filter((row) => row.status === status).length)
    return `| ${[name, rows.length, ...numbers].join(' | ')} |`
  }
  return [
    `| | rows | ${statuses.join(' | ')} |`,
    '|---|---:|---:|---:|---:|',
    ...sources.map((source) => {
      const name = source === 'PROV' ? 'provenance' : `RFC ${source}`
      return rowOf(
        name,
        requirements.filter(({ id }) => id.startsWith(source)),
      )
    }),
    rowOf('together', requirements),
  ].join('\n')
}

function isScenario(value: unknown): value is Scenario {
  return value !== null && typeof value === 'object' && 'id' in value && 'title' in value && 'run' in value
}

/** Which file each scenario is in. The registry does not know; the files do. */
async function filesOfScenarios(): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  for (const path of globSync('conformance/scenarios/**/*.ts', { cwd: root }).sort()) {
    // They only collect what other files contain.
    if (path.endsWith('-index.ts')) continue
    const exported = Object.values((await import(join(root, path))) as Record<string, unknown>).flat()
    for (const { id } of exported.filter(isScenario)) files.set(id, path.replace('conformance/scenarios/', ''))
  }
  return files
}

async function scenarioList(): Promise<string> {
  const files = await filesOfScenarios()
  const sections = Map.groupBy(allScenarios, ({ id }) => files.get(id) ?? 'unknown file')
  const rows = [...sections].flatMap(([file, scenarios]) =>
    scenarios.map(
      ({ id, title, wire }, index) =>
        `| ${index === 0 ? file : ''} | \`${id}\` | ${title} | ${wire === 2 ? '' : '✓'} | ${wire === 2 ? '✓' : ''} |`,
    ),
  )
  const many = `${allScenarios.length} scenarios in ${sections.size} files of \`conformance/scenarios\`, in the order in which they run.`
  return [many, '', '| file | scenario | checks | v1 | v2 |', '|---|---|---|---|---|', ...rows].join('\n')
}

function replacePart(text: string, name: string, content: string): string {
  const part = new RegExp(`(<!-- ${name}: [^\\n]* -->\\n)[\\s\\S]*?(<!-- /${name} -->)`)
  if (!part.test(text)) throw new Error(`docs/CONFORMANCE.md has no place for ${name}`)
  return text.replace(part, (_all, begin: string, end: string) => `${begin}\n${content}\n\n${end}`)
}

/** The page with its generated parts written again; the hand-written parts stay. */
export async function conformanceDocs(text: string): Promise<string> {
  const counted = replacePart(text, 'counts', counts(requirementsOf(text)))
  return replacePart(counted, 'scenarios', await scenarioList())
}

if (import.meta.main) writeFileSync(page, await conformanceDocs(readFileSync(page, 'utf8')))
