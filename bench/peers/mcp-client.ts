import { spawn } from 'node:child_process'

/** A minimal MCP client on standard input and output: the server is timed, not a library. */
export type McpClient = {
  /** The text of a tool result; an error of the tool is an error here. */
  call(tool: string, args: object): Promise<string>
  close(): Promise<void>
  /** Ends the server without a warning. */
  kill(): Promise<void>
}

type Answer = {
  id?: number
  result?: { content?: { text?: string }[]; isError?: boolean }
  error?: { message: string }
}

export async function startMcp(args: readonly string[], env: NodeJS.ProcessEnv): Promise<McpClient> {
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'ignore'] })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  process.once('exit', () => child.kill('SIGKILL'))
  const waiting = new Map<number, { resolve(answer: Answer): void; reject(error: Error): void }>()
  void ended.then(() => {
    for (const { reject } of waiting.values()) reject(new Error('The MCP server ended.'))
  })
  readLines(child.stdout, (line) => {
    const answer = JSON.parse(line) as Answer
    if (answer.id === undefined) return
    waiting.get(answer.id)?.resolve(answer)
    waiting.delete(answer.id)
  })
  let last = 0
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const ask = async (method: string, params: object): Promise<NonNullable<Answer['result']>> => {
    const id = ++last
    const answer = await new Promise<Answer>((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      send({ id, method, params })
    })
    if (answer.result === undefined) throw new Error(answer.error?.message ?? 'The MCP server gave no result.')
    return answer.result
  }
  const clientInfo = { name: 'bench', version: '1.0.0' }
  await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
  send({ method: 'notifications/initialized' })
  return {
    async call(tool, args) {
      const { content = [], isError } = await ask('tools/call', { name: tool, arguments: args })
      const text = content.map((part) => part.text ?? '').join('\n')
      if (isError) throw new Error(`${tool}: ${text.slice(0, 200)}`)
      return text
    },
    async close() {
      child.stdin.end()
      await ended
    },
    kill() {
      child.kill('SIGKILL')
      return ended
    },
  }
}

/** Chunks are joined once a line is complete: a response may have megabytes. */
function readLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  let pieces: Buffer[] = []
  stream.on('data', (chunk: Buffer) => {
    for (let rest = chunk; rest.length > 0; ) {
      const end = rest.indexOf(10)
      pieces.push(end < 0 ? rest : rest.subarray(0, end))
      if (end < 0) return
      const line = Buffer.concat(pieces).toString('utf8')
      pieces = []
      rest = rest.subarray(end + 1)
      if (line.trim() !== '') onLine(line)
    }
  })
}
