/** The first line of the plugin: a file without it is not ours, and is not changed. */
export const pluginMark =
  '// Written by `colophon hooks install opencode`. To remove it: colophon hooks remove opencode'

/**
 * A plugin for opencode 1.x, whose hooks are functions and not commands. It only translates: each function starts the same program as the
 * hooks of the other assistants, with the same input, and waits at most a second for it.
 */
export function pluginSource(command: readonly string[], options: readonly string[]): string {
  return `${pluginMark}
import { spawn } from ${JSON.stringify('node:child_process')}

const command = ${JSON.stringify(command)}
const options = ${JSON.stringify(options)}
const limitMs = 1000

function hook(event, input) {
  return new Promise((resolve) => {
    const [program, ...args] = command
    const child = spawn(program, [...args, 'hook', event, ...options], { stdio: ['pipe', 'pipe', 'ignore'] })
    let output = ''
    const end = () => {
      clearTimeout(timer)
      resolve(output)
    }
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      resolve('')
    }, limitMs)
    child.stdout.on('data', (chunk) => (output += chunk))
    child.on('error', end)
    child.on('close', end)
    child.stdin.on('error', () => {})
    child.stdin.end(JSON.stringify(input))
  })
}

const textOf = (parts) =>
  parts
    .filter(({ type, synthetic, ignored }) => type === 'text' && !synthetic && !ignored)
    .map(({ text }) => text)
    .join('\\n')

export const ColophonPlugin = async ({ client, directory }) => {
  const recalled = new Map()
  const mains = new Map()

  /** A session with a parent is that of a subagent: its prompts are not those of a person. */
  const isMain = async (id) => {
    if (!mains.has(id)) mains.set(id, client.session.get({ path: { id } }).then(({ data }) => !data?.parentID))
    return mains.get(id).catch(() => false)
  }
  const recall = async (id) => {
    const output = await hook('SessionStart', { session_id: id, cwd: directory })
    return output === '' ? null : JSON.parse(output).hookSpecificOutput.additionalContext
  }
  const messagesOf = async (id) => (await client.session.messages({ path: { id }, query: { limit: 200 } })).data ?? []

  /** A failure must never reach opencode. */
  const quietly = async (work) => {
    try {
      await work()
    } catch {}
  }

  return {
    'chat.message': ({ sessionID }, { message, parts }) =>
      quietly(async () => {
        const prompt = textOf(parts)
        if (await isMain(sessionID))
          await hook('UserPromptSubmit', { session_id: sessionID, turn_id: message.id, cwd: directory, prompt })
      }),
    event: ({ event }) =>
      quietly(async () => {
        if (event.type !== 'session.idle' || !(await isMain(event.properties.sessionID))) return
        const id = event.properties.sessionID
        const last = (await messagesOf(id)).findLast(({ info }) => info.role === 'assistant' && !info.summary)
        if (last === undefined) return
        const reply = { turn_id: last.info.parentID, last_assistant_message: textOf(last.parts) }
        await hook('Stop', { session_id: id, cwd: directory, ...reply })
      }),
    'experimental.chat.system.transform': ({ sessionID }, output) =>
      quietly(async () => {
        if (sessionID === undefined || !(await isMain(sessionID))) return
        if (!recalled.has(sessionID)) recalled.set(sessionID, recall(sessionID))
        const text = await recalled.get(sessionID)
        if (text) output.system.push(text)
      }),
    'experimental.session.compacting': ({ sessionID }) =>
      quietly(async () => {
        const messages = (await messagesOf(sessionID))
          .filter(({ info }) => !info.summary)
          .map(({ info, parts }) => ({ role: info.role, text: textOf(parts) }))
        await hook('PreCompact', { session_id: sessionID, cwd: directory, messages })
      }),
  }
}
`
}
