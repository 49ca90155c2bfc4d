import { styleText } from 'node:util'
import type { LogDestination } from './request-log.ts'

type Line = {
  readonly level?: number
  readonly time?: number
  readonly msg?: string
  readonly req?: { readonly method?: string; readonly route?: string }
  readonly res?: { readonly status?: number }
  readonly responseTime?: number
}

/** Members that every line has, and those that are printed in a form of their own. */
const ownForms = new Set(['level', 'time', 'pid', 'hostname', 'reqId', 'msg', 'req', 'res', 'responseTime'])

/** The log for a person at a terminal. Programs that read the log get it as JSON. */
export function createTerminalLog(write: (text: string) => void): LogDestination {
  return { write: (line) => write(`${describeLine(line)}\n`) }
}

/** One line of the log as text: time, level if it is not usual, request or message, other members. */
export function describeLine(line: string): string {
  let parsed: Line
  try {
    parsed = JSON.parse(line) as Line
  } catch {
    return line.trimEnd()
  }
  const { level = 30, time = 0, msg = '', req, res, responseTime } = parsed
  const clock = new Date(time).toTimeString().slice(0, 8)
  const request = req && `${req.method} ${req.route} ${res?.status ?? ''} ${Math.round(responseTime ?? 0)} ms`
  const others = Object.entries(parsed).flatMap(([name, value]) =>
    ownForms.has(name) ? [] : [`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`],
  )
  const text = [request && msg === 'request completed' ? request : [msg, request].filter(Boolean).join(': '), ...others]
  return [styleText('dim', clock), ...labelOf(level), ...text].join(' ')
}

function labelOf(level: number): string[] {
  if (level >= 50) return [styleText('red', 'error')]
  if (level >= 40) return [styleText('yellow', 'warning')]
  return []
}
