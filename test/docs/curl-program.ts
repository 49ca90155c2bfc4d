// Stands in for curl on a machine that has none: the options that the guides use, as curl takes them. Like curl with
// --fail-with-body, it ends with 22 after an answer of 400 or more.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

const exitCodes = { usage: 2, connect: 7, refused: 22, timeout: 28 }

function end(code: number, message: string): never {
  process.stderr.write(`curl: ${message}\n`)
  process.exit(code)
}

function parse() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        silent: { type: 'boolean', short: 's' },
        'no-buffer': { type: 'boolean', short: 'N' },
        include: { type: 'boolean', short: 'i' },
        'max-time': { type: 'string' },
        header: { type: 'string', short: 'H', multiple: true, default: [] },
        request: { type: 'string', short: 'X' },
        data: { type: 'string', short: 'd' },
      },
    })
  } catch (error) {
    return end(exitCodes.usage, `${(error as Error).message}; test/docs/curl-program.ts stands in for it here`)
  }
}

/** With @ in front it is the name of a file, whose line breaks curl leaves out. */
function bodyOf(data: string): string {
  return data.startsWith('@') ? readFileSync(data.slice(1), 'utf8').replaceAll(/[\r\n]/g, '') : data
}

const { values, positionals } = parse()
const [url] = positionals
if (url === undefined || positionals.length > 1) end(exitCodes.usage, 'one URL is needed')
const { data, 'max-time': seconds, request = data === undefined ? 'GET' : 'POST' } = values
const headers = new Headers(data === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' })
for (const header of values.header) {
  const [name = '', ...value] = header.split(':')
  headers.set(name, value.join(':').trim())
}
try {
  const response = await fetch(url, {
    method: request,
    headers,
    ...(data === undefined ? {} : { body: bodyOf(data) }),
    ...(seconds === undefined ? {} : { signal: AbortSignal.timeout(Number(seconds) * 1_000) }),
  })
  if (values.include) {
    process.stdout.write(`HTTP/1.1 ${response.status} ${response.statusText}\r\n`)
    for (const [name, value] of response.headers) process.stdout.write(`${name}: ${value}\r\n`)
    process.stdout.write('\r\n')
  }
  for await (const chunk of response.body ?? []) process.stdout.write(chunk)
  if (response.status >= 400) end(exitCodes.refused, `The requested URL returned error: ${response.status}`)
} catch (error) {
  const isLate = (error as Error).name === 'TimeoutError'
  end(isLate ? exitCodes.timeout : exitCodes.connect, isLate ? 'Operation timed out' : 'Failed to connect')
}
