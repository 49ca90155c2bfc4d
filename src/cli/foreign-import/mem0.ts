import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { checkIdentifier } from '../../core/check.ts'
import { limits } from '../../core/limits.ts'
import { isCategory } from '../../core/provenance/category.ts'
import { scopeOf, subjectOf } from '../../core/provenance/mem0-entities.ts'
import { checkMessageText } from '../../core/provenance/source-messages.ts'
import {
  type ForeignItem,
  type ForeignSource,
  instantOf,
  itemOf,
  objectOf,
  textOf,
  unreadable,
  wrong,
} from './source.ts'

/** Memories of mem0, as `getAll` of its clients returns them: a list, an object with `results`, or one memory per line. */
export function openMem0(file: string): ForeignSource {
  return {
    service: 'mem0',
    label: `the mem0 export ${basename(file)}`,
    items: () => itemsIn(file),
    close: async () => {},
  }
}

function* itemsIn(file: string): Generator<ForeignItem> {
  const text = read(file)
  const whole = parse(text)
  const list = Array.isArray(whole) ? whole : (whole as { results?: unknown } | undefined)?.results
  if (Array.isArray(list)) {
    for (const [index, item] of list.entries()) yield toItem(item, `item ${index + 1}`)
    return
  }
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const at = `line ${index + 1}`
    const item = parse(line)
    yield item === undefined ? { at, kind: 'memories', problem: 'It is not JSON.' } : toItem(item, at)
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw unreadable(file)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function toItem(given: unknown, at: string): ForeignItem {
  return itemOf({ at, kind: 'memories' }, () => {
    const item = objectOf(given, 'The memory')
    // The clients for TypeScript and Python spell names differently.
    const named = (snake: string, camel: string) => item[snake] ?? item[camel]
    const content = textOf(item.memory, 'memory')
    checkMessageText('memory', content)
    const id = textOf(item.id, 'id')
    checkIdentifier('id', id, 'eventIdCharactersMax', limits.eventIdCharactersMax - idRoom)
    const nameOf = (snake: string, camel: string) => {
      const name = named(snake, camel)
      if (name === undefined || name === null) return undefined
      checkIdentifier(snake, name, 'externalUserIdCharactersMax', limits.externalUserIdCharactersMax - idRoom)
      return name
    }
    const entities = {
      user_id: nameOf('user_id', 'userId'),
      agent_id: nameOf('agent_id', 'agentId'),
      app_id: nameOf('app_id', 'appId'),
      run_id: nameOf('run_id', 'runId'),
    }
    const [category] = Array.isArray(item.categories) ? item.categories.filter(isCategory) : []
    const metadata = item.metadata === undefined || item.metadata === null ? {} : objectOf(item.metadata, 'metadata')
    const observedAt =
      instantOf(named('updated_at', 'updatedAt'), 'updated_at') ??
      instantOf(named('created_at', 'createdAt'), 'created_at')
    if (Object.values(entities).every((name) => name === undefined))
      throw wrong('It names no user_id, agent_id, app_id or run_id.')
    const memory = {
      id,
      subject: subjectOf(entities),
      agentId: entities.agent_id ?? null,
      content,
      category,
      metadata,
      observedAt,
      scope: scopeOf(entities) ?? {},
    }
    return { memory }
  })
}

/** Characters that a prefix takes of a name. */
const idRoom = 16
