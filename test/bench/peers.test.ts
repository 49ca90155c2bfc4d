import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { arePeersInstalled, importPeer, peerVersion } from '../../bench/peers/install.ts'
import { createFolder } from '../support/temporary-folder.ts'

type Package = { dependencies: Record<string, string> }

const json = <T>(path: string) => JSON.parse(readFileSync(path, 'utf8')) as T
const peers = json<Package>('bench/peers/package.json').dependencies

test('the peers are pinned, and their lockfile names no registry host', () => {
  for (const [name, version] of Object.entries(peers)) assert.equal(peerVersion(name), version, name)
  assert.doesNotMatch(readFileSync('bench/peers/package-lock.json', 'utf8'), /"resolved"|registry/)
})

test('no peer is a dependency of the project unless an integration is written for it', () => {
  const own = json<{ dependencies: object; peerDependencies: object }>('package.json')
  const shared = Object.keys(peers).filter((name) => name in own.dependencies || name in own.peerDependencies)
  assert.deepEqual(shared, ['@langchain/langgraph-checkpoint', '@mastra/core', 'better-sqlite3'])
})

test('a folder without packages, or with other versions, does not count as installed', () => {
  const folder = createFolder().path
  assert.equal(arePeersInstalled(folder), false)
  writeFileSync(join(folder, '.package-lock.json'), '{"packages":{"node_modules/mem0ai":{"version":"0.0.1"}}}')
  assert.equal(arePeersInstalled(folder), false)
})

test('an error about a peer that is not installed says how to install it', async () => {
  const nowhere = createFolder().path
  await assert.rejects(importPeer('mem0ai/oss', nowhere), /Run "node bench\/peers\/install\.ts"/)
})
