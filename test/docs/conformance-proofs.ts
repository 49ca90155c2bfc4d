import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { requirementsOf } from '../../scripts/write-conformance-docs.ts'

/** An assertion that a scenario makes, in its own words, and the requirement that it shows. */
export type ScenarioProof = { readonly row: string; readonly scenario: string; readonly asserts: string }

/** A test by file and title, and the requirement that it shows. */
export type TestProof = { readonly row: string; readonly path: string; readonly title: string }

export const root = join(import.meta.dirname, '../..')
export const page = readFileSync(join(root, 'docs/CONFORMANCE.md'), 'utf8')

const scenarioProof = /^scenario `([^`]+)` › (.+)$/
const testProof = /^`([^`]+)` › (.+)$/

/** What the page names as proofs. Anything else in that column is a mistake. */
export function proofsOf(text: string): { readonly scenarios: ScenarioProof[]; readonly tests: TestProof[] } {
  const scenarios: ScenarioProof[] = []
  const tests: TestProof[] = []
  for (const { id: row, proofs } of requirementsOf(text)) {
    for (const proof of proofs) {
      const [, scenario, asserts] = scenarioProof.exec(proof) ?? []
      const [, path, title] = testProof.exec(proof) ?? []
      if (scenario !== undefined && asserts !== undefined) scenarios.push({ row, scenario, asserts })
      else if (path !== undefined && title !== undefined) tests.push({ row, path, title })
      else throw new Error(`${row}: neither an assertion of a scenario nor a test: ${proof}`)
    }
  }
  return { scenarios, tests }
}
