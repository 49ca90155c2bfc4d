import { join } from 'node:path'
import type { Environment } from '../../config/config.ts'
import { assistantFolder } from '../../config/user-folders.ts'
import { type HookEvent, hookEvents } from './hook-input.ts'
import { pluginMark, pluginSource } from './opencode-plugin.ts'
import { SettingsRefused, withHooks, withoutHooks } from './settings-json.ts'

export const assistants = ['claude-code', 'codex', 'opencode'] as const
export type Assistant = (typeof assistants)[number]

/** How a hook starts this program, and the options of all its hooks. */
export type HookCommand = { readonly program: readonly string[]; readonly options: readonly string[] }

/** Where an assistant has its hooks, and how they are put in and taken out. All of it is a function of the file's text. */
export type AssistantSettings = {
  file(env: Environment): string
  install(text: string | null, command: HookCommand): string
  /** Null: nothing is left, and the file is removed. */
  remove(text: string): string | null
  /** What the user has to do besides. */
  readonly nextStep: string
}

export const assistantSettings: Readonly<Record<Assistant, AssistantSettings>> = {
  'claude-code': {
    file: (env) => join(assistantFolder(env.CLAUDE_CONFIG_DIR, '.claude'), 'settings.json'),
    ...jsonHooks('claude-code'),
    nextStep: 'Sessions that start from now on use it. Claude Code lists its hooks with /hooks.',
  },
  codex: {
    file: (env) => join(assistantFolder(env.CODEX_HOME, '.codex'), 'hooks.json'),
    ...jsonHooks('codex'),
    nextStep:
      'Codex runs a new or changed hook only after you have trusted it: start codex, and review the hooks with /hooks.',
  },
  opencode: {
    file: (env) => join(opencodeFolder(env), 'plugins', 'colophon.js'),
    install(text, { program, options }) {
      if (text !== null && !text.startsWith(pluginMark)) throw new SettingsRefused('is another plugin.')
      return pluginSource(program, options)
    },
    remove: (text) => (text.startsWith(pluginMark) ? null : text),
    nextStep: 'opencode loads the plugin at its next start. It is written for the plugin interface of opencode 1.x.',
  },
}

function opencodeFolder(env: Environment): string {
  return assistantFolder(
    env.OPENCODE_CONFIG_DIR || (env.XDG_CONFIG_HOME && join(env.XDG_CONFIG_HOME, 'opencode')),
    '.config/opencode',
  )
}

function jsonHooks(assistant: Assistant): Pick<AssistantSettings, 'install' | 'remove'> {
  const ours = new RegExp(`\\bhook (?:${hookEvents.join('|')}) --for ${assistant}\\b`)
  const isOurs = (command: string) => ours.test(command)
  return {
    install(text, { program, options }) {
      const entries = hookEvents.map((event) => [event, [...program, 'hook', event, ...options].map(quoted).join(' ')])
      return withHooks(text, Object.fromEntries(entries) as Record<HookEvent, string>, isOurs)
    },
    remove: (text) => withoutHooks(text, isOurs),
  }
}

/** A word of a command line. The assistants run it with a shell. */
function quoted(word: string): string {
  if (/^[\w./:@=-]+$/.test(word)) return word
  return process.platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`
}
