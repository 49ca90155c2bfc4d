import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { cleanEnv } from '../support/server-process.ts'

type Loaded = { readonly statusCode: number; readonly packages: readonly string[]; readonly hasFetch: boolean }

/** Each is used by few requests and costs every start several milliseconds and megabytes. */
const loadedOnUse = ['@fastify/swagger', '@fastify/swagger-ui', '@modelcontextprotocol/server', 'yaml', 'ajv', 'pg']

test('a start loads neither what makes the OpenAPI document, nor MCP, nor schema compilers, nor fetch', async () => {
  const program = fileURLToPath(new URL('start-loads-program.ts', import.meta.url))
  const env = cleanEnv({ COLOPHON_STORAGE: 'memory', COLOPHON_LOG_LEVEL: 'silent' })
  const { stdout } = await promisify(execFile)(process.execPath, [program], { env })
  const { started, described } = JSON.parse(stdout) as { started: Loaded; described: Loaded }
  assert.deepEqual([started.statusCode, described.statusCode], [200, 200])
  assert.ok(started.packages.includes('fastify'))
  assert.deepEqual(
    loadedOnUse.filter((name) => started.packages.includes(name)),
    [],
  )
  assert.equal(started.hasFetch, false)
  assert.ok(described.packages.includes('@fastify/swagger'))
})

test('`colophon serve` does not load what the other commands need', async () => {
  const program = fileURLToPath(new URL('serve-loads-program.ts', import.meta.url))
  const env = cleanEnv({ COLOPHON_STORAGE: 'memory', COLOPHON_LOG_LEVEL: 'silent', COLOPHON_PORT: '0' })
  const { stdout } = await promisify(execFile)(process.execPath, [program], { env })
  const packages = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as string[]
  assert.ok(packages.includes('fastify'))
  assert.ok(!packages.includes('commander'))
})
