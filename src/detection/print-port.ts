/** Chromaprint as the detector uses it (implemented by `probe/print-maker.ts`). */
export interface PrintPort {
  /** Whether ffmpeg has the muxer. */
  isAvailable(): Promise<boolean>;
  /** The items of the first sound track; none if there is no sound. */
  print(request: {
    readonly input: string;
    readonly demuxer: string;
    readonly signal?: AbortSignal;
  }): Promise<Uint8Array>;
  /** The items of a sample of a running broadcast, an FLV file, by a process that is kept for its owner if there is room. */
  sample(flv: Uint8Array, owner: string): Promise<SampledPrint>;
  /** Processes that are kept for samples. */
  readonly kept: number;
  /** Part of a processor that samples may take. */
  readonly share: number;
  /** A WAV file of a part of the first sound track. */
  clip(request: ClipRequest): Promise<Uint8Array>;
  /** Gray pictures of `PICTURES.size` one after the other; fewer where the file ends. */
  pictures(request: ClipRequest): Promise<Uint8Array>;
}

export interface SampledPrint {
  readonly items: Uint8Array;
  readonly tookMs: number;
  /** A process was started for it, which takes most of the time. */
  readonly isStarted: boolean;
}

export interface ClipRequest {
  readonly input: string;
  readonly demuxer: string;
  readonly fromMs: number;
  readonly lengthMs: number;
}
