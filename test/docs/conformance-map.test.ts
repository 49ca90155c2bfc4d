import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import test from 'node:test'
import { allScenarios } from '../../conformance/registry.ts'
import { conformanceDocs, requirementsOf } from '../../scripts/write-conformance-docs.ts'
import { advertise, deriveProfiles } from '../../src/wires/openwop-v1/discovery.ts'
import { onEveryStorage as inapplicable } from '../conformance/inapplicable.ts'

/**
 * docs/CONFORMANCE.md says what is promised and what shows it. Here it is held to that: no requirement can vanish, no
 * proof can be a test that is not there, and what is open can only become less.
 */

/** How many requirements each part has, numbered from 1. They stay: a promise is not taken back by deleting its row. */
const partSizes: Readonly<Record<string, number>> = {
  '0004-A': 16,
  '0004-S': 10,
  '0004-B': 5,
  '0004-C': 4,
  '0004-D': 19,
  '0004-E': 6,
  '0004-F': 8,
  '0004-G': 2,
  '0004-H': 3,
  '0012-A': 3,
  '0012-B': 8,
  '0012-C': 2,
  '0012-D': 3,
  '0012-E': 3,
  '0012-F': 1,
  '0057-A': 4,
  '0057-B': 8,
  '0057-C': 4,
  '0057-D': 6,
  '0057-E': 2,
  '0057-F': 1,
  '0080-A': 13,
  '0080-B': 2,
  '0080-C': 11,
  '0080-D': 3,
  '0080-E': 9,
  'PROV-': 76,
}

/** Nothing would notice if these broke. Whoever writes the test takes the id out; none is added. */
const untested: readonly string[] = []
const untestedProvenance: readonly string[] = []

/** Known not to hold. Whoever repairs one takes it out; none is added. */
const failing: readonly string[] = []
const failingProvenance: readonly string[] = []

const levels = ['MUST', 'SHOULD', 'MAY', 'own']
const statuses = ['holds', 'untested', 'fails']

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/CONFORMANCE.md'), 'utf8')
const requirements = requirementsOf(page)
const idsWith = (status: string) => requirements.filter((row) => row.status === status).map(({ id }) => id)

test('every requirement has its row, once', () => {
  const expected = Object.entries(partSizes).flatMap(([part, size]) =>
    Array.from({ length: size }, (_, index) => `${part}${index + 1}`),
  )
  assert.deepEqual(requirements.map(({ id }) => id).sort(), expected.sort())
  // A row that the parser does not understand must not slip through as prose.
  assert.equal([...page.matchAll(/^\| ?(?:\d{4}|PROV)-/gm)].length, requirements.length)
})

test('levels and statuses are of the closed sets', () => {
  for (const { id, level, status } of requirements) {
    assert.ok(levels.includes(level), `${id}: ${level}`)
    assert.ok(statuses.includes(status), `${id}: ${status}`)
  }
})

test('what holds names what shows it, and nothing else does', () => {
  for (const { id, status, proofs } of requirements) {
    if (status === 'holds') assert.ok(proofs.length > 0, `${id} holds, and nothing shows it`)
    else assert.deepEqual(proofs, [], `${id}: ${status}, so what do these show?`)
  }
})

test('what is untested or fails can only become less', () => {
  assert.deepEqual(idsWith('untested').sort(), [...untested, ...untestedProvenance].sort())
  assert.deepEqual(idsWith('fails').sort(), [...failing, ...failingProvenance].sort())
  const [, openPoints = ''] = /^## Open points\n(.*?)^## /ms.exec(page) ?? []
  for (const id of [...failing, ...failingProvenance]) assert.ok(openPoints.includes(`**${id}**`), `${id} is explained`)
})

const scenarioProof = /^scenario `([^`]+)`$/
const testProof = /^`([^`]+)` › (.+)$/

/** Contracts are no test files: they run where a test file hands them a store. */
function isRun(path: string): boolean {
  if (/^(?:src|test|conformance)\/.+\.test\.ts$/.test(path)) return true
  const contracts = readFileSync(join(root, 'src/testing/index.ts'), 'utf8')
  const users = globSync('test/contract/*.test.ts', { cwd: root })
  return path === `src/testing/${basename(path)}` && contracts.includes(`'./${basename(path)}'`) && users.length >= 3
}

/** Whether the file has a test of that title that is not skipped for good. */
function hasTest(path: string, title: string): boolean {
  const escaped = title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`\\b(?:test|it|onEveryStore|onStores)\\(\\s*(['"\`])${escaped}\\1`).test(
    readFileSync(join(root, path), 'utf8'),
  )
}

test('every scenario and test that is named exists and runs', () => {
  for (const storage of ['sqlite', 'postgres', 'memory']) {
    assert.ok(existsSync(join(root, `test/conformance/${storage}.test.ts`)), `scenarios are not run on ${storage}`)
  }
  const scenarios = new Set(allScenarios.map(({ id }) => id))
  for (const { id, proofs } of requirements) {
    for (const proof of proofs) {
      const scenario = scenarioProof.exec(proof)?.[1]
      if (scenario !== undefined) {
        assert.ok(scenarios.has(scenario), `${id}: there is no scenario ${scenario}`)
        assert.ok(!(scenario in inapplicable), `${id}: ${scenario} does not apply here, so it shows nothing`)
        continue
      }
      const [, path = '', title = ''] = testProof.exec(proof) ?? []
      assert.ok(path !== '', `${id}: neither a scenario nor a test: ${proof}`)
      assert.ok(existsSync(join(root, path)), `${id}: there is no file ${path}`)
      assert.ok(isRun(path), `${id}: ${path} is no test that is run`)
      assert.ok(hasTest(path, title), `${id}: ${path} has no test "${title}"`)
    }
  }
})

test('every scenario of the suite is listed, once', () => {
  for (const { id } of allScenarios) assert.equal(page.split(` | \`${id}\` | `).length - 1, 1, id)
  assert.doesNotMatch(page, /unknown file/)
})

test('the generated parts are what the script writes', async () => {
  const hint = 'run: node scripts/bootstrap.mjs scripts/write-conformance-docs.ts'
  assert.equal(page, await conformanceDocs(page), hint)
})

test('the claimed profiles are those that follow from the discovery document', () => {
  const document = advertise({
    version: '0.0.0',
    traits: { durable: true, sharedAcrossProcesses: false },
    store: { readable: true, writable: true },
    vaultOpen: true,
    bodyLimitBytes: 1,
    sendsWebhooks: true,
    hasSemanticSearch: false,
    fixtures: ['conformance-noop'],
  })
  const claimed = [...page.matchAll(/^\| `(openwop-[a-z-]+)` \|/gm)].map(([, name]) => name)
  assert.deepEqual(claimed, deriveProfiles(document))
})
