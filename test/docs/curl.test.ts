import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createFolder } from '../support/temporary-folder.ts'

/** Answers with what it was asked; /refused with 409, /endless with a stream that never ends. */
const server = createServer(async (request, response) => {
  if (request.url === '/endless') return void response.writeHead(200).write('data: first\n\n')
  let body = ''
  for await (const chunk of request) body += chunk
  response.writeHead(request.url === '/refused' ? 409 : 200, { 'x-seen': 'yes' })
  response.end(JSON.stringify({ method: request.method, type: request.headers['content-type'], body }))
})
const folder = createFolder()
let url = ''

before(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
after(() => {
  server.closeAllConnections()
  server.close()
  folder.remove()
})

const program = join(import.meta.dirname, 'curl-program.ts')

function curl(...args: string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
  return new Promise((resolve) =>
    execFile(process.execPath, [program, ...args], (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    ),
  )
}

test('the replacement for curl sends what curl sends', async () => {
  const get = await curl('-s', `${url}/`)
  assert.deepEqual([get.code, JSON.parse(get.stdout).method], [0, 'GET'])
  const file = folder.file('body.json')
  writeFileSync(file, '{\n"a": 1}\n')
  const post = await curl('-s', `${url}/`, '-H', 'Content-Type: application/json', '-d', `@${file}`)
  assert.deepEqual(JSON.parse(post.stdout), { method: 'POST', type: 'application/json', body: '{"a": 1}' })
  const patch = await curl('-s', '-X', 'PATCH', '-d', 'a=1', `${url}/`)
  assert.deepEqual(JSON.parse(patch.stdout), {
    method: 'PATCH',
    type: 'application/x-www-form-urlencoded',
    body: 'a=1',
  })
})

test('the replacement for curl shows headers, has the exit codes of curl, and refuses an unknown option', async () => {
  assert.match((await curl('-si', `${url}/`)).stdout, /^HTTP\/1\.1 200 OK\r\n.*^x-seen: yes\r\n/ms)
  const refused = await curl('-s', `${url}/refused`)
  assert.deepEqual([refused.code, JSON.parse(refused.stdout).method], [22, 'GET'])
  assert.equal((await curl('-sN', '--max-time', '1', `${url}/endless`)).code, 28)
  assert.equal((await curl('-s', 'http://127.0.0.1:1/')).code, 7)
  const unknown = await curl('--compressed', `${url}/`)
  assert.equal(unknown.code, 2)
  assert.match(unknown.stderr, /--compressed/)
})
