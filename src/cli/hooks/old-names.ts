import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Environment } from '../../config/config.ts'
import { configFolder } from '../../config/user-folders.ts'
import type { Project } from './project.ts'

/**
 * The projects whose memory of earlier versions is read too. It is under the name alone, where another project of this name may have written, so
 * a person chooses it in each project.
 */
function choicesFile(env: Environment = process.env): string {
  return join(configFolder(env), 'hook-old-names.json')
}

function readChoices(file: string): readonly string[] {
  try {
    const { projects } = JSON.parse(readFileSync(file, 'utf8')) as { projects?: unknown }
    return Array.isArray(projects) ? projects.filter((id) => typeof id === 'string') : []
  } catch {
    return []
  }
}

export function readsOldName({ id }: Project, file: string = choicesFile()): boolean {
  return readChoices(file).includes(id)
}

export function chooseOldName({ id }: Project, file: string = choicesFile()): void {
  const projects = [...new Set([...readChoices(file), id])]
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify({ projects }, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, file)
}
