import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imageLock } from '../../scripts/write-image-lock.ts'
import { loadConfig } from '../../src/config/config.ts'
import { packageVersion } from '../../src/config/package-version.ts'
import {
  assertKnownVariables,
  assertPublicRoute,
  dockerfileStages,
  imageOf,
  port,
  readDeployFile,
  readYaml,
  userId,
} from './deploy-files.ts'

const dockerfile = readDeployFile('deploy/Dockerfile')
const compose = readYaml('deploy/compose.yaml')

test('the image runs the packed program as a user that is not root, with a health check that exists', () => {
  const { user, env, exposed, volume, stopSignal, entrypoint, command, healthCheck } = imageOf(dockerfile)
  assert.equal(user, `${userId}:${userId}`)
  assert.equal(exposed, String(port))
  assert.equal(stopSignal, 'SIGTERM')
  assert.deepEqual(command, ['serve'])
  const { bin } = JSON.parse(readDeployFile('package.json')) as { bin: { colophon: string } }
  assert.deepEqual(entrypoint, ['tini', '--', 'node', `/app/node_modules/colophon/${bin.colophon.replace('./', '')}`])
  assertKnownVariables(Object.keys(env).join(' '))
  const { NODE_ENV: _, ...settings } = env
  const config = loadConfig(settings)
  assert.deepEqual([config.host, config.port, config.dataDir], ['0.0.0.0', port, volume])
  const [, path = ''] = /\}(\/\w+)`/.exec(healthCheck.join(' ')) ?? []
  assertPublicRoute(path)
})

test('the image is made in stages from one named version, and of the packed version only', () => {
  const stages = dockerfileStages(dockerfile)
  assert.equal(stages.length, 2)
  assert.match(dockerfile, /^ARG NODE_IMAGE=\S+\/node:24-\S+$/m)
  const text = stages.flat().map(({ name, value }) => `${name} ${value}`)
  assert.deepEqual(
    text.filter((line) => /^(ADD|COPY)/.test(line)),
    [
      'COPY deploy/package.json deploy/package-lock.json ./',
      `COPY \${PACKAGE} colophon.tgz`,
      'COPY --from=install /app /app',
    ],
  )
  assert.ok(dockerfile.includes(`PACKAGE=colophon-${packageVersion}.tgz`), 'another version than that of package.json')
  const ignored = readDeployFile('deploy/Dockerfile.dockerignore').split('\n')
  assert.deepEqual(
    ignored.filter((line) => line && !line.startsWith('#')),
    ['*', '!colophon-*.tgz', '!deploy/package.json', '!deploy/package-lock.json'],
  )
})

test('the image installs exactly the versions that the tests ran with, each with its digest', () => {
  const runs = dockerfileStages(dockerfile).flatMap((stage) => stage.filter(({ name }) => name === 'RUN'))
  const installs = runs.flatMap(({ value }) => value.match(/(?<![\w/])(?:npm|npx|yarn|pnpm|corepack) [^&|;]*/g) ?? [])
  assert.deepEqual(
    installs.map((command) => command.trim()),
    ['npm ci --omit=dev --no-audit --no-fund'],
    'anything else may install other versions',
  )
  for (const [path, text] of Object.entries(imageLock()))
    assert.equal(readDeployFile(path), text, 'run: node scripts/bootstrap.mjs scripts/write-image-lock.ts')
  const { packages } = JSON.parse(readDeployFile('deploy/package-lock.json'))
  const tested = JSON.parse(readDeployFile('package-lock.json')).packages
  const { version, dependencies } = JSON.parse(readDeployFile('package.json'))
  const { '': image, 'node_modules/colophon': program, ...others } = packages
  assert.deepEqual(image.dependencies, JSON.parse(readDeployFile('deploy/package.json')).dependencies)
  assert.deepEqual([program.version, program.dependencies], [version, dependencies])
  for (const name of ['pg', ...Object.keys(dependencies)]) assert.ok(others[`node_modules/${name}`], name)
  for (const [path, locked] of Object.entries<Record<string, string>>(others)) {
    assert.match(locked.version ?? '', /^\d/, path)
    assert.match(locked.integrity ?? '', /^sha512-/, path)
    assert.deepEqual([locked.version, locked.integrity], [tested[path]?.version, tested[path]?.integrity], path)
  }
})

test('compose starts the image beside PostgreSQL, with a read-only root and secrets from files only', () => {
  const { colophon, database } = compose.services
  assertKnownVariables(Object.keys(colophon.environment).join(' '))
  assert.equal(colophon.image, `colophon:${packageVersion}`)
  assert.deepEqual(colophon.ports, [`127.0.0.1:${port}:${port}`], 'published beyond this machine, without TLS')
  assert.deepEqual([colophon.read_only, colophon.cap_drop], [true, ['ALL']])
  assert.equal(colophon.depends_on.database.condition, 'service_healthy')
  assert.equal(database.healthcheck.test[1], 'pg_isready')
  assert.equal(database.ports, undefined, 'only the server needs the database')
  const volumes = [...colophon.volumes, ...database.volumes].map((volume: string) => volume.split(':')[0])
  assert.deepEqual(volumes, Object.keys(compose.volumes))
})

test('every secret that compose names is declared, is mounted, and is a file outside of the project', () => {
  const { colophon, database } = compose.services
  const used = [...colophon.secrets, ...database.secrets].sort()
  assert.deepEqual(Object.keys(compose.secrets).sort(), used)
  for (const { file } of Object.values<{ file: string }>(compose.secrets)) assert.match(file, /^\.\/secrets\//)
  assert.match(readDeployFile('.gitignore'), /^\/deploy\/secrets\/$/m)
  const files = [colophon, database].flatMap(({ environment, secrets }) =>
    Object.entries<string>(environment).flatMap(([name, value]) =>
      name.endsWith('_FILE') ? [[value.replace('/run/secrets/', ''), secrets]] : [],
    ),
  )
  for (const [secret, mounted] of files) assert.ok(mounted.includes(secret), secret)
  assert.equal(files.length, used.length)
})
