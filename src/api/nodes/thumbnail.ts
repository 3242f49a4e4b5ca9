/** Thumbnails of videos. */
import type { StoredObject } from '../../ports/index.js';
import { defineNodeType } from '../graph/node-type.js';
import { absolute } from '../graph/urls.js';
import type { Video } from '../resources/video/fields.js';

export interface ThumbnailData {
  /** The video. */
  readonly rootId: string;
  /** Path below the server, or a whole address. */
  readonly url: string;
  readonly width: number;
  readonly height: number;
  readonly mimeType: string;
  readonly name?: string;
  readonly blobId?: string;
}

export type Thumbnail = StoredObject<ThumbnailData>;

export const thumbnailType = defineNodeType<Thumbnail>({
  typeName: 'VideoThumbnail',
  node: 'thumbnail',
  idOf: (thumbnail) => thumbnail.id,
  fields: {
    id: { type: 'numeric string', description: 'The thumbnail.', isDefault: true, read: (thumbnail) => thumbnail.id },
    uri: {
      type: 'string',
      description: 'URL of the image.',
      isDefault: true,
      read: (thumbnail, call) => absolute(thumbnail.data.url, call),
    },
    height: { type: 'int', description: 'Pixels.', isDefault: true, read: (thumbnail) => thumbnail.data.height },
    width: { type: 'int', description: 'Pixels.', isDefault: true, read: (thumbnail) => thumbnail.data.width },
    scale: { type: 'float', description: 'Always 1.', isDefault: true, read: () => 1 },
    is_preferred: {
      type: 'bool',
      description: 'The one that is shown.',
      isDefault: true,
      read: async (thumbnail, call) => {
        const video = (await call.loader.load(thumbnail.data.rootId)) as Video | undefined;
        return video?.data.preferredThumbnailId === thumbnail.id;
      },
    },
    name: { type: 'string', description: 'Its name.', read: (thumbnail) => thumbnail.data.name },
  },
});
