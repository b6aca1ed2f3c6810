// Data that is stored before the cases run, and must survive them.

/** A pet with an image. The service would not generate its id. */
export const PET = {
  id: 8_000_000_001,
  name: "Kept",
  photoUrls: ["kept.png"],
  tags: [{ name: "kept" }],
  status: "pending",
};

export const PETS = [
  PET,
  { ...PET, id: 8_000_000_002, status: "available" },
  { ...PET, id: 8_000_000_003, status: "available" },
];

/** Placeholder for the path of the image of `PET`. */
export const IMAGE = "/{image}";

/** An id of nothing. */
export const NOBODY = "8999999999";
