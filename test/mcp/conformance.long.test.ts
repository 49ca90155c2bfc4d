import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { installPackages } from '../../scripts/locked-packages.ts'
import { useServer } from '../support/server.ts'

/**
 * The active server suite of the official conformance package. Each scenario passes, or needs something that only a server made
 * for the suite has.
 */
const passing = [
  'dns-rebinding-protection',
  'logging-set-level',
  'ping',
  'prompts-list',
  'resources-list',
  'server-initialize',
  'server-sse-multiple-streams',
  'tools-list',
]
const needsFixture: Readonly<Record<string, string>> = {
  'completion-complete': 'the prompt test_prompt_with_arguments; an unknown prompt is refused with -32602',
  'elicitation-sep1034-defaults': 'the tool test_elicitation_sep1034_defaults; no tool here asks the person',
  'elicitation-sep1330-enums': 'the tool test_elicitation_sep1330_enums; no tool here asks the person',
  'prompts-get-embedded-resource': 'the prompt test_prompt_with_embedded_resource',
  'prompts-get-simple': 'the prompt test_simple_prompt',
  'prompts-get-with-args': 'the prompt test_prompt_with_arguments',
  'prompts-get-with-image': 'the prompt test_prompt_with_image',
  'resources-read-binary': 'the resource test://static-binary',
  'resources-read-text': 'the resource test://static-text',
  'resources-subscribe':
    'the resource test://watched-resource, and a session: subscriptions over HTTP are those of 2026',
  'resources-templates-read': 'the template test://template/{id}/data',
  'resources-unsubscribe': 'as resources-subscribe',
  'tools-call-audio': 'the tool test_audio_content',
  'tools-call-elicitation': 'the tool test_elicitation',
  'tools-call-embedded-resource': 'the tool test_embedded_resource',
  'tools-call-error': 'the tool test_error_handling',
  'tools-call-image': 'the tool test_image_content',
  'tools-call-mixed-content': 'the tool test_multiple_content_types',
  'tools-call-sampling': 'the tool test_sampling; no tool here asks the model of the client',
  'tools-call-simple-text': 'the tool test_simple_text',
  'tools-call-with-logging': 'the tool test_tool_with_logging',
  'tools-call-with-progress': 'the tool test_tool_with_progress',
}

const folder = fileURLToPath(new URL('official', import.meta.url))

describe('the official conformance suite', () => {
  const server = useServer()

  /** The suite sends no key: this adds it, and passes everything else on, the Host header too. */
  const proxy = createServer((asked, answer) => {
    const { hostname, port } = new URL(server.url)
    const headers = { ...asked.headers, authorization: `Bearer ${server.key}` }
    const passed = request({ hostname, port, method: asked.method, path: asked.url, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answer)
    })
    passed.once('error', () => answer.destroy())
    asked.pipe(passed)
  })
  after(() => {
    proxy.closeAllConnections()
    proxy.close()
  })

  test('every scenario that needs no fixture passes', async () => {
    installPackages(folder, 'the MCP packages to compare with')
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const url = `http://localhost:${(proxy.address() as AddressInfo).port}/mcp`
    const program = `${folder}/node_modules/@modelcontextprotocol/conformance/dist/index.js`
    const child = spawn(process.execPath, [program, 'server', '--url', url], { stdio: ['ignore', 'pipe', 'ignore'] })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk
    })
    await once(child, 'close')
    const results = [...output.matchAll(/^([✓✗]) ([\w-]+): /gm)].map(
      ([, mark, name]) => [name ?? '', mark === '✓'] as const,
    )
    const named = (isPassing: boolean) =>
      results
        .filter(([, passed]) => passed === isPassing)
        .map(([name]) => name)
        .sort()
    assert.deepEqual(named(true), passing)
    assert.deepEqual(named(false), Object.keys(needsFixture).sort())
  })
})
