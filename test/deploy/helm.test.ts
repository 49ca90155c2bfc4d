import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { Ajv } from 'ajv'
import { parseAllDocuments } from 'yaml'
import { packageVersion } from '../../src/config/package-version.ts'
import { secretFileVariables } from '../../src/config/secret-files.ts'
import { settings } from '../../src/config/settings.ts'
import {
  assertKnownVariables,
  assertPublicRoute,
  chart,
  port,
  readDeployFile,
  readYaml,
  root,
  userId,
} from './deploy-files.ts'

const values = readYaml(`${chart}/values.yaml`)
const schema = JSON.parse(readDeployFile(`${chart}/values.schema.json`))
const validate = new Ajv({ strictTypes: false }).compile(schema)
const matchesSchema = (given: object): boolean => validate(given)
const templates = readdirSync(join(root, chart, 'templates'))
  .map((name) => readDeployFile(`${chart}/templates/${name}`))
  .join('\n')
const deployment = readDeployFile(`${chart}/templates/deployment.yaml`)

test('the values of the chart match their schema, and a misspelled value or a secret among the settings does not', () => {
  assert.ok(matchesSchema(values), JSON.stringify(validate.errors))
  for (const wrong of [
    { replica: 3 },
    { replicas: 0 },
    { image: { name: 'x' } },
    { optionalSecretKeys: ['vault'] },
    { settings: { LOG_LEVEL: 'warn' } },
  ])
    assert.equal(matchesSchema({ ...values, ...wrong }), false, JSON.stringify(wrong))
  const own = ['COLOPHON_HOST', 'COLOPHON_PORT', 'COLOPHON_DATA_DIR', 'COLOPHON_STORAGE', 'COLOPHON_ALLOWED_HOSTS']
  const refused = new Set([...own, 'COLOPHON_TLS_IN_FRONT', 'COLOPHON_TEST_SEAMS', ...secretFileVariables])
  refused.delete('COLOPHON_API_KEY_FILE')
  for (const { variable, secret } of Object.values(settings)) if (secret) refused.add(variable)
  for (const variable of [...Object.values(settings).map((each) => each.variable), ...refused]) {
    const accepts = matchesSchema({ ...values, settings: { [variable]: '1' } })
    assert.equal(accepts, !refused.has(variable), variable)
  }
})

test('the templates use every value of the chart, and no other', () => {
  const used = new Set([...templates.matchAll(/\.Values\.([\w.]+)/g)].map(([, path = '']) => path))
  const open = new Set([
    'resources',
    'settings',
    'annotations',
    'podAnnotations',
    'podLabels',
    'nodeSelector',
    'affinity',
  ])
  const leaves = (value: unknown, path: string[]): string[] =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && !open.has(path.at(-1) ?? '')
      ? Object.entries(value).flatMap(([name, inner]) => leaves(inner, [...path, name]))
      : [path.join('.')]
  assert.deepEqual([...used].sort(), leaves(values, []).sort())
})

test('the pods run as the user of the image, with a read-only root, known variables, probes and secrets by reference', () => {
  assert.deepEqual(
    [readYaml(`${chart}/Chart.yaml`).appVersion, readYaml(`${chart}/Chart.yaml`).version],
    [packageVersion, packageVersion],
  )
  for (const line of [
    'runAsNonRoot: true',
    `runAsUser: ${userId}`,
    'readOnlyRootFilesystem: true',
    'allowPrivilegeEscalation: false',
    'enableServiceLinks: false',
    'automountServiceAccountToken: false',
    `containerPort: ${port}`,
  ])
    assert.ok(deployment.includes(line), line)
  assertKnownVariables(deployment)
  const probes = [...deployment.matchAll(/(\w+)Probe:\n\s+httpGet: \{ path: (\S+), port: http \}/g)]
  assert.deepEqual(
    probes.map(([, kind]) => kind),
    ['startup', 'liveness', 'readiness'],
  )
  for (const [, , path = ''] of probes) assertPublicRoute(path)
  // A server without its database must not be restarted for it.
  assert.equal(probes[1]?.[2], '/healthz')
  const required = [...(/list ("database-url".*?)\)/.exec(deployment)?.[1]?.matchAll(/"([\w-]+)"/g) ?? [])].map(
    ([, key]) => key,
  )
  const keys = [...required, ...schema.properties.optionalSecretKeys.items.enum] as string[]
  assert.equal(keys.length, 7)
  for (const key of keys)
    assert.ok(secretFileVariables.includes(`COLOPHON_${key.replaceAll('-', '_').toUpperCase()}_FILE`), key)
  assert.doesNotMatch(templates, /kind: Secret\b/, 'a secret would be a value of the chart')
})

test('helm accepts and renders the chart', async (t) => {
  const folders = (process.env.PATH ?? '').split(delimiter)
  if (!folders.some((folder) => globSync('helm', { cwd: folder }).length > 0)) return t.skip('helm is not installed')
  const given = ['--set', 'image.repository=registry.example.com/colophon', '--set', 'existingSecret=colophon']
  const run = promisify(execFile)
  await run('helm', ['lint', '--strict', join(root, chart), ...given])
  const { stdout } = await run('helm', ['template', 'memory', join(root, chart), ...given])
  const kinds = parseAllDocuments(stdout).map((document) => document.toJS().kind)
  assert.deepEqual(kinds.sort(), ['Deployment', 'NetworkPolicy', 'PodDisruptionBudget', 'Service', 'ServiceAccount'])
  await assert.rejects(run('helm', ['template', 'memory', join(root, chart)]), /image\.repository/)
})
