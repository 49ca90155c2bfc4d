import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defineNodeType } from '../../src/nodes/index.ts'
import { startServer } from '../../src/server/index.ts'
import { rejectsWith } from '../contract/suite/assert-code.ts'
import { createHome } from '../support/server.ts'

const echo = defineNodeType({
  typeId: 'acme.echo',
  description: 'Gives its text.',
  config: { text: { description: 'the text', type: 'text', isRequired: true } },
  replay: 'computes',
  execute: async ({ config }) => ({ kind: 'completed', outputs: { text: config.text } }),
})

test('a program starts a server with node types; a second server on the same data folder is refused', async () => {
  await using home = await createHome('sqlite')
  const env = { ...home.env, COLOPHON_PORT: '0', COLOPHON_LOG_LEVEL: 'silent' }
  const server = await startServer({ nodeTypes: [echo], env })
  assert.match(server.firstKey ?? '', /^ck_/)
  const node = { id: 'only', name: 'only', typeId: 'acme.echo', config: {}, inputs: {}, position: { x: 0, y: 0 } }
  const rest = { version: '1', edges: [], triggers: [], variables: [], metadata: {}, settings: {} }
  const put = async (config: object) => {
    const response = await fetch(`${server.url}/v1/host/colophon/workflows`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.firstKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'echo', name: 'Echo', nodes: [{ ...node, config }], ...rest }),
    })
    return response.status
  }
  assert.deepEqual([await put({ text: 'hey' }), await put({ txt: 'hey' })], [201, 400])
  await rejectsWith('storage_busy', startServer({ env }))
  await server.close()

  // The folder is free again, also after a start that was refused.
  await rejectsWith('validation_error', startServer({ nodeTypes: [{ ...echo, typeId: 'core.echo' }], env }))
  const again = await startServer({ env })
  assert.equal(again.firstKey, null)
  await again.close()
})
