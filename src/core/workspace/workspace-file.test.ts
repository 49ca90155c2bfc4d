import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blankVersion } from '../entries/entry.ts'
import { limits } from '../limits.ts'
import { checkContentType, checkFileSize, isMatch, isPath, tagsOfFile, toFile } from './workspace-file.ts'

test('a path is a flat name without a way out', () => {
  for (const path of ['a', 'A.md', 'notes/2026/11.md', '9-_.x', 'a..b', 'x'.repeat(limits.workspacePathCharactersMax)])
    assert.ok(isPath(path), path)
  for (const path of ['', '/a', '.a', 'a/../b', '..', 'a b', 'ä', 'a:b', 'a\n', 'x'.repeat(257), 'a/..'])
    assert.ok(!isPath(path), path)
})

test('a file is read back from the tags of its entry', () => {
  const file = { path: 'notes/a.md', contentType: 'text/plain; charset=utf-8', version: 7 }
  const origin = { kind: 'api' } as const
  const facts = { memoryRef: 'workspace:default', entryId: 'wsf_1', version: 9, recordedPosition: 3, digestPosition: 3 }
  const entry = {
    ...blankVersion,
    ...facts,
    content: 'x',
    salt: 's',
    origin,
    tags: [...tagsOfFile(file), 'source:api'],
  }
  assert.deepEqual(toFile(entry), { ...file, content: 'x', etag: '3.9' })
})

test('If-Match names a version with or without quotes', () => {
  for (const header of ['3.9', '"3.9"', 'W/"3.9"', '"1.1", "3.9"', '*']) assert.ok(isMatch(header, '3.9'), header)
  for (const header of ['3', '"3.91"', '']) assert.ok(!isMatch(header, '3.9'), header)
  assert.ok(!isMatch('*', null))
})

test('the size counts bytes of UTF-8, and a media type is one', () => {
  checkFileSize('é'.repeat(limits.workspaceFileBytesMax / 2))
  assert.throws(() => checkFileSize(`${'é'.repeat(limits.workspaceFileBytesMax / 2)}x`), {
    code: 'workspace_too_large',
  })
  for (const type of ['text/markdown', 'application/vnd.x+json; charset=utf-8']) checkContentType(type)
  for (const type of ['', 'text', 'text/', 'a/b\n', 'a/b c'])
    assert.throws(() => checkContentType(type), { code: 'validation_error' })
})
