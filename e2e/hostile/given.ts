// What is stored before the catalogue is run, so that there is something to lose.

/** A pet with an image; no id that the service would generate. */
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

export const ORDER = { id: 8_000_000_001, petId: PET.id, quantity: 1 };

export const USER = { username: "kept", password: "kept password" };

/** Stands in a target for the path of the image of `PET`. */
export const IMAGE = "/{image}";

/** No pet, order or user has it. */
export const NOBODY = "8999999999";
