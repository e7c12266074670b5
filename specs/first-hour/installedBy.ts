import type { Block } from './readBlocks.ts'

/** Names of the packages that blocks tell their reader to install from npm. */
export const installedBy = (blocks: ReadonlyArray<Block>): ReadonlyArray<string> =>
  blocks.flatMap(({ text }) =>
    [...text.matchAll(/npm install ([^#\n]+)/g)].flatMap(([, names = '']) =>
      names.split(' ').map((name) => name.replace(/(?<=.)@.*/, '')),
    ),
  )
