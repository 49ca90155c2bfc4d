import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { runInWorker } from '../support/cli-worker.ts'
import { cleanEnv, mainProgram } from '../support/server-process.ts'

/** A function of bash with the name of a program of Node. */
export const shellProgram = (name: string, file: string) => `${name}() { '${process.execPath}' '${file}' "$@"; }\n`

/** The program itself, for every command. */
export const colophonProgram = shellProgram('colophon', mainProgram)

/**
 * A function `colophon` for bash. Commands run in a worker of this process, which costs a tenth of a start; what serves others is the
 * program. Fields of a request and a response end with a zero byte.
 */
export async function startColophonFunction(): Promise<{ readonly definition: string } & AsyncDisposable> {
  const server = createServer((socket) => void answer(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    definition: `${shellProgram('colophon_program', mainProgram)}
colophon() {
  case "\${1:-}" in serve|mcp) colophon_program "$@"; return ;; esac
  local input='' code out err
  if [ -p /dev/stdin ] || [ -f /dev/stdin ]; then input=$(cat; printf .); input=\${input%.}; fi
  exec 9<>/dev/tcp/127.0.0.1/${port}
  printf '%s\\0' "$PWD" "$(env)" "$input" "$#" "$@" >&9
  IFS= read -r -d '' code <&9; IFS= read -r -d '' out <&9; IFS= read -r -d '' err <&9
  exec 9>&-
  printf %s "$out"; printf %s "$err" >&2
  return "$code"
}
`,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function answer(socket: Socket): Promise<void> {
  let text = ''
  for await (const chunk of socket.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    text += chunk
    const [cwd = '', env = '', input = '', count, ...args] = text.split('\0').slice(0, -1)
    if (count === undefined || args.length < Number(count)) continue
    const command = { args, cwd, env: cleanEnv(productVariables(env)), input }
    const { code, stdout, stderr } = await runInWorker(command).catch((error: Error) => ({
      ...{ code: 70, stdout: '', stderr: error.message },
    }))
    socket.end(`${code}\0${stdout}\0${stderr}\0`)
    return
  }
}

/** Of what `env` prints. Only these differ from the variables of this process. */
function productVariables(printed: string): Record<string, string> {
  return Object.fromEntries(
    [...printed.matchAll(/^(COLOPHON_\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  )
}
