import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { settings } from '../../src/config/settings.ts'

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'))

const text = { type: 'string', minLength: 1 }
const input = {
  description: text,
  value: text,
  choices: { type: 'array', items: text },
  isRequired: { type: 'boolean' },
  isSecret: { type: 'boolean' },
}

/** What the schema 2025-12-11 of the MCP registry requires of a server with an npm package, in our own words. */
const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['$schema', 'name', 'description', 'version', 'packages'],
  properties: {
    $schema: { const: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json' },
    // A namespace in reverse DNS order, one slash, a name.
    name: { type: 'string', minLength: 3, maxLength: 200, pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$' },
    title: { type: 'string', minLength: 1, maxLength: 100 },
    description: { type: 'string', minLength: 1, maxLength: 100 },
    // One version, not a range.
    version: { type: 'string', maxLength: 255, pattern: '^[^~^<>=x*]+$' },
    packages: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['registryType', 'identifier', 'version', 'transport'],
        properties: {
          registryType: { const: 'npm' },
          identifier: text,
          version: { type: 'string', minLength: 1, not: { const: 'latest' } },
          runtimeHint: { const: 'npx' },
          transport: { type: 'object', required: ['type'], properties: { type: { const: 'stdio' } } },
          packageArguments: {
            type: 'array',
            items: {
              oneOf: [
                {
                  type: 'object',
                  additionalProperties: false,
                  required: ['type', 'value'],
                  properties: { type: { const: 'positional' }, ...input },
                },
                {
                  type: 'object',
                  additionalProperties: false,
                  required: ['type', 'name'],
                  properties: { type: { const: 'named' }, name: { type: 'string', pattern: '^--' }, ...input },
                },
              ],
            },
          },
          environmentVariables: {
            type: 'array',
            items: {
              type: 'object',
              additionalProperties: false,
              required: ['name'],
              properties: { name: text, format: { enum: ['string', 'number', 'boolean', 'filepath'] }, ...input },
            },
          },
        },
      },
    },
  },
}

test('server.json is what the MCP registry takes, and names the package, options and variables that exist', () => {
  const server = read('server.json')
  const validate = new Ajv2020({ allErrors: true, strictTypes: false }).compile(schema)
  const isValid: boolean = validate(server)
  assert.ok(isValid, JSON.stringify(validate.errors))
  assert.ok(!validate({ ...server, description: 'x'.repeat(101) }) && !validate({ ...server, name: 'colophon' }))
  const { name, version } = read('package.json')
  const [published] = server.packages
  assert.deepEqual([server.version, published.identifier, published.version], [version, name, version])
  const known = [...Object.values(settings).map(({ variable }) => variable), 'COLOPHON_URL', 'COLOPHON_API_KEY']
  for (const variable of published.environmentVariables) assert.ok(known.includes(variable.name), variable.name)
  const help = readFileSync(new URL('../../docs/CLI.md', import.meta.url), 'utf8')
  for (const option of published.packageArguments) assert.ok(help.includes(option.name ?? option.value))
})
