import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { installPackages } from '../../scripts/locked-packages.ts'
import { createFolder } from '../support/temporary-folder.ts'

const folder = fileURLToPath(new URL('official', import.meta.url))

test('the pinned list is what the reference server lists', async () => {
  installPackages(folder, 'the MCP packages to compare with')
  const data = createFolder()
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [`${folder}/node_modules/@modelcontextprotocol/server-memory/dist/index.js`],
      env: { MEMORY_FILE_PATH: data.file('memory.jsonl') },
      stderr: 'ignore',
    }),
  )
  try {
    const { tools } = await client.listTools()
    const facts = tools.map(({ name, title, description, inputSchema, outputSchema, annotations }) => {
      return { name, title, description, inputSchema, outputSchema, annotations }
    })
    assert.deepEqual(facts, JSON.parse(readFileSync(`${folder}/server-memory-tools.json`, 'utf8')))
  } finally {
    await client.close()
    data.remove()
  }
})
