import { asArray, type Scenario } from '../../harness.ts'
import { compactTexts, findOutput } from '../../memory/compaction.ts'

export const memoryCompactionProvenanceTag: Scenario = {
  id: 'memory-compaction-provenance-tag',
  facts: 'memory 16.15, 12',
  title: 'What comes out of a pass carries a tag that names the pass',
  async run(check) {
    const pass = await compactTexts(check, 'tag', ['The key lies under the mat.', 'The mat lies before the door.'])
    const { tags } = await findOutput(check, pass)
    const marks = asArray(tags).filter((tag) => String(tag).startsWith('compacted-from:'))
    if (marks.length === 0) check.inapplicable('the output has no tag compacted-from:')
    check.equal(marks.length, 1, 'tags that name the pass')
    check.matches(marks[0], /^compacted-from:[^\s:][^\s]*$/, 'the tag that names the pass')
  },
}
