import { utf8Bytes } from '../check.ts'
import type { EntryVersion } from '../entries/entry.ts'
import { ColophonError, invalid } from '../errors.ts'
import { limits } from '../limits.ts'
import { workspacePrefix } from '../names.ts'

/**
 * Files of a workspace: texts that agents and people keep under a path. A file is an entry of the workspace's ref, so that versions,
 * snapshots, redaction, forget, export and audit are those of memory. Its tags have the path, the media type and the number of the
 * version. A path has no colon, so no tag of another kind can be taken for one.
 */
export type WorkspaceFile = {
  readonly path: string
  readonly content: string
  readonly contentType: string
  /** 1 for a new file, and one more with every write. A file that is created again after it was deleted starts with 1. */
  readonly version: number
  /** Names this version in `If-Match`. No other version of the path ever has it. */
  readonly etag: string
}

/** The workspace that the API serves. */
export const defaultWorkspace = 'default'

export const defaultContentType = 'text/markdown'

export function refOfWorkspace(workspace: string): string {
  return `${workspacePrefix}${workspace}`
}

export function isWorkspaceRef(memoryRef: string): boolean {
  return memoryRef.startsWith(workspacePrefix)
}

const pathPattern = /^[A-Za-z0-9][A-Za-z0-9._/-]*$/

/** Paths are flat names that may have slashes. */
export function isPath(value: string): boolean {
  return (
    value.length <= limits.workspacePathCharactersMax && pathPattern.test(value) && !value.split('/').includes('..')
  )
}

export function checkPath(value: string): void {
  if (isPath(value)) return
  throw invalid('path', 'must be letters, digits and . _ / -, begin with a letter or digit, and have no .. segment', {
    limit: 'workspacePathCharactersMax',
    max: limits.workspacePathCharactersMax,
  })
}

const typePattern = /^[\w.+-]+\/[\w.+-]+(;\s*[\w-]+=[\w"'.+-]+)*$/

export function checkContentType(value: string): void {
  const isType = value.length <= limits.workspaceContentTypeCharactersMax && typePattern.test(value)
  if (!isType) throw invalid('contentType', 'must be a media type such as text/markdown')
}

/** Refuses a text above `workspaceFileBytesMax` bytes of UTF-8. */
export function checkFileSize(content: string): void {
  const max = limits.workspaceFileBytesMax
  if (content.length * 3 <= max || utf8Bytes(content) <= max) return
  throw new ColophonError('workspace_too_large', `The content has more than ${max} bytes of UTF-8.`, {
    details: { limit: 'workspaceFileBytesMax', max },
  })
}

const typeTag = 'content-type:'
const versionTag = 'file-version:'

/** The tags of an entry that is a file. */
export function tagsOfFile({ path, contentType, version }: Pick<WorkspaceFile, 'path' | 'contentType' | 'version'>) {
  return [path, `${typeTag}${contentType}`, `${versionTag}${version}`]
}

/** The path of a file, from the tags of its entry. */
export function pathOf(tags: readonly string[]): string {
  return tags.find((tag) => !tag.includes(':')) ?? ''
}

/** The file of an entry. */
export function toFile({ content, tags, version, recordedPosition }: EntryVersion): WorkspaceFile {
  const named = (prefix: string) => tags.find((tag) => tag.startsWith(prefix))?.slice(prefix.length)
  return {
    path: pathOf(tags),
    content,
    contentType: named(typeTag) ?? defaultContentType,
    version: Number(named(versionTag) ?? 1),
    etag: `${recordedPosition}.${version}`,
  }
}

/** Whether an `If-Match` header names the version. Clients send the etag with or without quotes. */
export function isMatch(ifMatch: string, etag: string | null): boolean {
  const names = ifMatch.split(',').map((name) =>
    name
      .trim()
      .replace(/^W\//, '')
      .replace(/^"(.*)"$/, '$1'),
  )
  return etag !== null && (names.includes('*') || names.includes(etag))
}
