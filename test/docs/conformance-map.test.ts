import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import test from 'node:test'
import { memoryFaults } from '../../conformance/proxy/memory-faults.ts'
import { allScenarios } from '../../conformance/registry.ts'
import { memoryScenarios } from '../../conformance/scenarios/memory-index.ts'
import { conformanceDocs, requirementsOf } from '../../scripts/write-conformance-docs.ts'
import { advertise, deriveProfiles } from '../../src/wires/openwop-v1/discovery.ts'
import { onEveryStorage as inapplicable } from '../conformance/inapplicable.ts'
import { findTest } from './asserting-test.ts'
import { page, proofsOf, root } from './conformance-proofs.ts'

/**
 * docs/CONFORMANCE.md says what is promised and what shows it. Here it is held to that: no requirement can vanish, no
 * proof can be a test that is not there or that could not fail, and what is open can only become less.
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
  '0068-B': 2,
  '0068-D': 4,
  '0080-A': 13,
  '0080-B': 2,
  '0080-C': 11,
  '0080-D': 3,
  '0080-E': 9,
  'PROV-': 76,
}

/** No test would fail if these broke. Remove an id when its test is written; none is added. */
const untested: readonly string[] = []
const untestedProvenance: readonly string[] = []

/** Known not to hold. Remove an id when it is repaired; none is added. */
const failing: readonly string[] = []
const failingProvenance: readonly string[] = []

const levels = ['MUST', 'SHOULD', 'MAY', 'own']
const statuses = ['holds', 'untested', 'fails']

const requirements = requirementsOf(page)
const idsWith = (status: string) => requirements.filter((row) => row.status === status).map(({ id }) => id)

test('every requirement has one row', () => {
  const expected = Object.entries(partSizes).flatMap(([part, size]) =>
    Array.from({ length: size }, (_, index) => `${part}${index + 1}`),
  )
  assert.deepEqual(requirements.map(({ id }) => id).sort(), expected.sort())
  // A row that the parser does not understand must not slip through as prose.
  assert.equal([...page.matchAll(/^\| ?(?:\d{4}|PROV)-/gm)].length, requirements.length)
})

test('levels and statuses are from the closed sets', () => {
  for (const { id, level, status } of requirements) {
    assert.ok(levels.includes(level), `${id}: ${level}`)
    assert.ok(statuses.includes(status), `${id}: ${status}`)
  }
})

test('every requirement that holds names its proof, and no other requirement does', () => {
  for (const { id, status, proofs } of requirements) {
    if (status === 'holds') assert.ok(proofs.length > 0, `${id} holds, and nothing shows it`)
    else assert.deepEqual(proofs, [], `${id}: ${status}, so what do these show?`)
  }
})

test('the lists of untested and failing requirements only become shorter', () => {
  assert.deepEqual(idsWith('untested').sort(), [...untested, ...untestedProvenance].sort())
  assert.deepEqual(idsWith('fails').sort(), [...failing, ...failingProvenance].sort())
  const [, openPoints = ''] = /^## Open points\n(.*?)^## /ms.exec(page) ?? []
  for (const id of [...failing, ...failingProvenance]) assert.ok(openPoints.includes(`**${id}**`), `${id} is explained`)
})

const { scenarios: scenarioProofs, tests: testProofs } = proofsOf(page)

/** Contracts are no test files: they run where a test file hands them a store. */
function isRun(path: string): boolean {
  if (/\.long\.test\.ts$/.test(path)) return false
  if (/^(?:src|test|conformance)\/.+\.test\.ts$/.test(path)) return true
  const contracts = readFileSync(join(root, 'test/contract/suite/index.ts'), 'utf8')
  const users = globSync('test/contract/*.test.ts', { cwd: root })
  return (
    path === `test/contract/suite/${basename(path)}` && contracts.includes(`'./${basename(path)}'`) && users.length >= 3
  )
}

test('every named test exists, is run, and asserts a computed value', () => {
  const problems = testProofs.flatMap(({ row, path, title }) => {
    const problem = problemOf(path, title)
    return problem === null ? [] : [`${row}: ${path} › ${title}: ${problem}`]
  })
  assert.deepEqual(problems, [])
})

function problemOf(path: string, title: string): string | null {
  if (!existsSync(join(root, path))) return 'there is no such file'
  if (!isRun(path)) return 'npm test does not run the file'
  const read = (specifier: string) => {
    const file = join(root, dirname(path), specifier)
    // What a test imports of the product asserts nothing.
    return /\/(?:test|conformance)\//.test(file) && existsSync(file) ? readFileSync(file, 'utf8') : null
  }
  const found = findTest(readFileSync(join(root, path), 'utf8'), title, read)
  if (found === null) return 'there is no such test'
  if (found.isSkipped) return 'it is skipped'
  return found.assertions > 0 ? null : 'it asserts nothing but constants'
}

test('every named scenario exists and applies to this host on every storage', () => {
  for (const file of ['sqlite.test.ts', 'postgres.long.test.ts', 'memory.long.test.ts']) {
    assert.ok(existsSync(join(root, 'test/conformance', file)), `scenarios are not run: ${file} is missing`)
  }
  const known = new Set(allScenarios.map(({ id }) => id))
  for (const { row, scenario } of scenarioProofs) {
    assert.ok(known.has(scenario), `${row}: there is no scenario ${scenario}`)
    assert.ok(!(scenario in inapplicable), `${row}: ${scenario} does not apply here, so it shows nothing`)
  }
})

/** The assertions are there: the runs of the suite look for each of them (test/conformance/suite.ts). Here: can they fail? */
test('every named assertion about memory fails on a host with the matching fault', () => {
  const noHost = { url: '', key: 'a', keyB: 'b', lowScopeKey: null, revokedKey: null, expiredRunId: null }
  const faults = memoryFaults({ ...noHost, degradedAgentId: null, webhookReceiver: false })
  const aboutMemory = new Set(memoryScenarios.map(({ id }) => id))
  // Whether other scenarios can fail is shown for each of them as a whole, by conformance/senseless.test.ts.
  const unseen = scenarioProofs
    .filter(({ scenario }) => aboutMemory.has(scenario))
    .filter(
      ({ scenario, asserts }) => !faults.some((fault) => fault.scenario === scenario && fault.reason.test(asserts)),
    )
  assert.deepEqual(unseen, [], 'add a fault that contradicts the row to conformance/proxy')
})

test('every scenario of the suite is listed once', () => {
  for (const { id } of allScenarios) assert.equal(page.split(` | \`${id}\` | `).length - 1, 1, id)
  assert.doesNotMatch(page, /unknown file/)
})

test('the generated parts are the output of the script', async () => {
  const hint = 'run: node scripts/bootstrap.mjs scripts/write-conformance-docs.ts'
  assert.equal(page, await conformanceDocs(page), hint)
})

test('the claimed profiles follow from the discovery document', () => {
  const document = advertise({
    version: '0.0.0',
    traits: { durable: true, sharedAcrossProcesses: false },
    store: { readable: true, writable: true },
    vaultOpen: true,
    bodyLimitBytes: 1,
    sendsWebhooks: true,
    hasSemanticSearch: false,
    hasModel: false,
    fixtures: ['conformance-noop'],
  })
  const claimed = [...page.matchAll(/^\| `(openwop-[a-z-]+)` \|/gm)].map(([, name]) => name)
  assert.deepEqual(claimed, deriveProfiles(document))
})
