import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { Counters } from '../../src/app/counters.ts'
import type { Engine } from '../../src/app/engine.ts'
import { AuditVerifications } from '../../src/app/verify/audit-verifications.ts'
import { measure } from '../../src/http/metrics.ts'
import type { RequestQueue } from '../../src/http/request-queue.ts'
import type { App } from '../../src/http/route-context.ts'
import { emitMeasurement, type Measurement, type MeasurementLabels } from '../../src/telemetry/measurement.ts'
import { readDeployFile, readYaml } from './deploy-files.ts'

/** Every metric of a server on PostgreSQL with its labels, after one of each thing that is measured. */
async function metricsOfServer(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const app = Fastify() as unknown as App
  const [upkeepCounters, endedRunCounters, compactionCounters, auditVerifications] = [
    new Counters(),
    new Counters(),
    new Counters(),
    new AuditVerifications(0),
  ]
  upkeepCounters.add('expired', 1)
  endedRunCounters.add('completed', 1)
  compactionCounters.add('compaction', 1)
  auditVerifications.add('acme', 'valid', 1_000)
  const runs = new Map([['running', 1]])
  const readHost = async () => ({ jobsWaiting: 0, jobsDue: 0, jobsDead: 0, oldestDueAt: null, runs })
  const pressure = () => ({ commits: 0, commitsOverdue: 0, connections: { open: 1, idle: 1, waiting: 0 } })
  const engine = {
    storage: { pressure, stats: { readHost }, tenants: async () => [{ tenantId: 'acme', createdAt: 0 }] },
    system: { now: () => 0 },
    instants: { behindMs: 0 },
    indexer: { backlog: 0 },
    host: { upkeepCounters, endedRunCounters, compactionCounters, auditVerifications },
  }
  measure(app, engine as unknown as Engine, { waiting: () => 0 } as RequestQueue)
  const labels: { [Name in keyof MeasurementLabels]: MeasurementLabels[Name] } = {
    commit: { operation: 'x' },
    job: { kind: 'x' },
    node: { type: 'x' },
    webhook: {},
    model: { purpose: 'x' },
  }
  for (const name of Object.keys(labels) as Measurement['name'][])
    emitMeasurement({ name, labels: labels[name], outcome: 'ok', ms: 1, traceScope: undefined, waitedMs: 0 })
  await app.inject('/metrics')
  const { body } = await app.inject('/metrics')
  await app.close()
  const found = new Map<string, Set<string>>()
  for (const [, name = '', labelled = ''] of body.matchAll(/^([a-z_]\w*)(?:\{(.*)\})? \S+$/gm)) {
    const known = found.get(name) ?? found.set(name, new Set()).get(name)
    for (const [, label = ''] of labelled.matchAll(/(\w+)="/g)) known?.add(label)
  }
  return found
}

type Panel = { title: string; gridPos: { x: number; y: number }; targets: { expr: string; legendFormat: string }[] }
const { panels } = JSON.parse(readDeployFile('deploy/observability/dashboard.json')) as { panels: Panel[] }
const rules: { alert: string; expr: string; labels: { severity: string }; annotations: Record<string, string> }[] =
  readYaml('deploy/observability/alerts.yaml').groups.flatMap((group: { rules: unknown[] }) => group.rules)
const expressions = [
  ...rules.map(({ expr }) => expr),
  ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
]

test('every metric and label in the dashboard and the alerts exists', async () => {
  const metrics = await metricsOfServer()
  assert.ok(expressions.length > 40)
  for (const expression of expressions) {
    const named = [...expression.matchAll(/\b(colophon_\w+)(?:\{([^}]*)\})?/g)]
    assert.ok(named.length > 0, expression)
    const labels = new Set<string>()
    for (const [, name = '', selector = ''] of named) {
      const own = metrics.get(name) ?? assert.fail(`${name} is not a metric: ${expression}`)
      for (const label of own) labels.add(label)
      for (const [, label = ''] of selector.matchAll(/(\w+)\s*[=!]/g)) assert.ok(own.has(label), `${name}: ${label}`)
    }
    for (const [, list = ''] of expression.matchAll(/\bby \(([^)]*)\)/g))
      for (const label of list.split(',').map((each) => each.trim()))
        assert.ok(labels.has(label), `${label}: ${expression}`)
  }
  for (const { title, targets } of panels)
    for (const { expr, legendFormat } of targets)
      for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
        assert.match(expr, new RegExp(`by \\([^)]*\\b${label}\\b`), `${title}: the legend names ${label}`)
})

test('the dashboard or an alert shows every metric of our own', async () => {
  const all = expressions.join('\n')
  for (const name of (await metricsOfServer()).keys()) {
    if (/^colophon_(nodejs|process)_/.test(name) || /_(sum|count)$/.test(name)) continue
    assert.match(all, new RegExp(`\\b${name}\\b`), `${name} is on no panel`)
  }
})

test('alerts say how severe they are and what to do, panels have a place of their own', () => {
  for (const { alert, labels, annotations } of rules) {
    assert.match(labels.severity, /^(warning|critical)$/, alert)
    assert.ok((annotations.summary ?? '') !== '' && (annotations.description ?? '') !== '', alert)
  }
  const places = panels.map(({ gridPos }) => `${gridPos.x},${gridPos.y}`)
  assert.equal(new Set(places).size, panels.length)
})
