import type { HookEvent } from './hook-input.ts'

/** A command that an assistant runs for an event. Claude Code and Codex have the same form. */
type Handler = { readonly type: string; readonly command?: unknown }
type Group = { readonly matcher?: string; readonly hooks?: readonly Handler[] }
type Settings = { readonly hooks?: Readonly<Record<string, readonly Group[]>> } & Readonly<Record<string, unknown>>

/** A session that continues already has in its context what was recalled when it began. */
const matchers: Partial<Record<HookEvent, string>> = { SessionStart: 'startup|clear|compact' }

/** Seconds after which the assistant itself ends a hook, which ends before: a guard against a machine that has no time for it. */
const timeoutSeconds = 5

/** A file that is not changed, because something in it would be lost. */
export class SettingsRefused extends Error {}

/** The settings with these commands, one for each event, instead of those that `isOurs` finds. */
export function withHooks(
  text: string | null,
  commands: Readonly<Record<HookEvent, string>>,
  isOurs: (command: string) => boolean,
): string {
  const settings = parse(text)
  const others = settings.hooks ?? {}
  const hooks: Record<string, readonly Group[]> = { ...others }
  for (const [event, command] of Object.entries(commands) as [HookEvent, string][]) {
    const matcher = matchers[event]
    const handler = { type: 'command', command, timeout: timeoutSeconds }
    const group = { ...(matcher === undefined ? {} : { matcher }), hooks: [handler] }
    hooks[event] = [...withoutOurs(others[event] ?? [], isOurs), group]
  }
  return render({ ...settings, hooks }, text)
}

/** The settings without our commands; null if nothing else is in them. */
export function withoutHooks(text: string, isOurs: (command: string) => boolean): string | null {
  const { hooks = {}, ...rest } = parse(text)
  const kept = Object.entries(hooks).flatMap(([event, groups]) => {
    const others = withoutOurs(groups, isOurs)
    return others.length === 0 && groups.length > 0 ? [] : [[event, others] as const]
  })
  const settings = kept.length === 0 ? rest : { ...parse(text), hooks: Object.fromEntries(kept) }
  return Object.keys(settings).length === 0 ? null : render(settings, text)
}

function withoutOurs(groups: readonly Group[], isOurs: (command: string) => boolean): readonly Group[] {
  return groups.flatMap((group) => {
    const all = group.hooks ?? []
    const others = all.filter(({ command }) => typeof command !== 'string' || !isOurs(command))
    if (others.length === all.length) return [group]
    return others.length === 0 ? [] : [{ ...group, hooks: others }]
  })
}

/**
 * Refuses a file whose meaning is more than the value that it is parsed to: one with comments, with a member twice, or with a number that
 * JavaScript cannot represent. Written again, it would have lost them.
 */
function parse(text: string | null): Settings {
  if (text === null || text.trim() === '') return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw lossy()
  }
  const withoutSpace = text.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, '$1')
  if (withoutSpace !== JSON.stringify(value) || !isSettings(value)) throw lossy()
  return value
}

function lossy(): SettingsRefused {
  return new SettingsRefused('has comments, a member twice, or something else that would be lost.')
}

function isSettings(value: unknown): value is Settings {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { hooks = {} } = value as Settings
  return typeof hooks === 'object' && !Array.isArray(hooks) && Object.values(hooks ?? 0).every(Array.isArray)
}

/** With the indentation and the line ends that the file has. */
function render(settings: object, before: string | null): string {
  const indent = /\n([ \t]+)"/.exec(before ?? '')?.[1] ?? '  '
  const lines = `${JSON.stringify(settings, null, indent)}\n`
  return before?.includes('\r\n') ? lines.replaceAll('\n', '\r\n') : lines
}
